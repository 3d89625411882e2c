-- error: consuming-argument

def remember [m] (marks: *[m]bool) : (bool -> bool) = \b -> b && marks[0]

def main [m] (marks: *[m]bool) = map (remember marks) [true, false]

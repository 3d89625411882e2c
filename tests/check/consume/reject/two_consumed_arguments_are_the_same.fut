-- error: aliased-argument

def spend (a: *[]i32) (b: *[]i32) = a[0] + b[0]

def main (xs: *[]i32) = spend xs xs

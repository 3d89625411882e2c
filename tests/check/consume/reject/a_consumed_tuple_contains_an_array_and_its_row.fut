-- error: self-aliasing-arg

def spend (row: *[]i32, m: *[][]i32) = row[0] + m[0, 0]

def main (m: *[][]i32) = spend (m[0], m)

-- error: self-aliasing-arg

def spend (t: *([]i32, []i32)) = t.0[0] + t.1[0]

def main (xs: *[]i32) = spend (xs, xs)

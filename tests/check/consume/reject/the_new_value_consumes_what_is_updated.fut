-- error: use-after-consume

def spend (xs: *[]i32) : i32 = xs[0]

def main (xs: *[]i32) = xs with [0] = spend xs

-- error: use-after-consume

def main (xs: *[]i32) = (xs, xs with [0] = 1)

-- error: use-after-consume

def spend (xs: *[]i32) : i32 = xs[0]
def add (a: i32) (b: i32) = a + b

def main (xs: *[]i32) = add xs[0] (spend xs)

def spend (xs: *[]i32) : i32 = xs[0]
def add (a: i32) (b: i32) = a + b

def main (xs: *[]i32) = add (spend xs) xs[1]

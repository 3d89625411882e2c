-- error: size-mismatch
def f (xs: [3]i32) = xs[0]
def g = f [1, 2]

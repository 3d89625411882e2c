-- error: cannot-index
def f (xs: []i32) = xs[0, 1]

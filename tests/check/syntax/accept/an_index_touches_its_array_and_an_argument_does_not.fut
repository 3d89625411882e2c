def f (xs: [2]i32) = xs[0]
def g (xs: [2]i32) : i32 = xs[f [0, 1]]

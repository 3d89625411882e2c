-- error: type-mismatch
def f [n] (xs: [n]i32) (ys: [n]i32) = xs + ys

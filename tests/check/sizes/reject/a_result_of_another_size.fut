-- error: size-mismatch
def f [n] (xs: [n]i32) : [n + 1]i32 = xs

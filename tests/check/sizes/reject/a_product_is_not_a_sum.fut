-- error: size-mismatch
def f [n] [m] (xs: [n * m]i32) : [n + m]i32 = xs

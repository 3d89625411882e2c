def f [n] [m] (xs: [n * (m + 1)]i32) : [n * m + n]i32 = xs
def g [n] [m] (xs: [n][m]i32) : [m * n]i32 = flatten xs

def f [n] [m] (xss: [n][m]i32) : [n][m]i32 = unflatten (flatten xss)
def g [n] (xs: [n * 3]i32) : [n][3]i32 = unflatten xs

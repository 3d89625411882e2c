-- error: also-bound
def f [n] [n] (xs: [n]i32) = xs

def f [n] (xs: [2 * n]i32) : [n + n]i32 = xs
def g [n] (xs: [n]i32) : [n * 2]i32 = xs ++ xs

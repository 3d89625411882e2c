def f [n] (xs: [n]i32) : [n + 1 - 1]i32 = xs
def g [n] (xs: [n]i32) : [n]i32 = init (xs ++ [0])
def h [n] (xs: [n]i32) : [n]i32 = tail ([0] ++ xs)

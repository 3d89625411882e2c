def f [n] (xs: [n + 1]i32) : [1 + n]i32 = xs
def g [a] [b] [c] (xs: [(a + b) + c]i32) : [a + (c + b)]i32 = xs

-- error: size-mismatch
def f [n] (xs: [n]i32) = zip xs (tail xs)

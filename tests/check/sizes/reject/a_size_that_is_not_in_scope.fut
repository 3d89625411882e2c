-- error: unknown-name
def f (xs: [n]i32) = xs

-- error: size-not-i64
def f (xs: [length]i32) = xs

-- error: type-mismatch
def f [n] (xs: [n]i32) = xs :> [n]i64

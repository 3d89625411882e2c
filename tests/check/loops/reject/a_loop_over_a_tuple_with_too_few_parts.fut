-- error: type-mismatch
def f (n: i64) = loop (a, b) = (0i32, 1i32) for _i < n do (b, a, b)

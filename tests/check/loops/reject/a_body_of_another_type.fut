-- error: type-mismatch
def f (n: i64) : i32 = loop acc = 0i32 for i < n do acc == 1

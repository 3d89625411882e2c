-- error: type-mismatch
def x : i64 = 1i32

-- error: type-mismatch
def f (x: i32) (y: i64) = x + y

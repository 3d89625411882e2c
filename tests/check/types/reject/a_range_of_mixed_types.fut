-- error: type-mismatch
def f (a: i32) (b: i64) = a..<b

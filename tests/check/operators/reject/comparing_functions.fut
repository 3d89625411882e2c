-- error: type-mismatch
def f (x: i32 -> i32) (y: i32 -> i32) : bool = x == y

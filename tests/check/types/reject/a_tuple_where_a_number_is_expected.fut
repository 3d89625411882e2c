-- error: type-mismatch
def f (x: i32) : i32 = (x, x)

-- error: type-mismatch
def f (x: i32) : i32 = x
def g (b: bool) : i32 = f b

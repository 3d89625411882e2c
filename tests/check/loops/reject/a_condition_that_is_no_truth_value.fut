-- error: type-mismatch
def f (n: i32) : i32 = loop x = n while x do x - 1

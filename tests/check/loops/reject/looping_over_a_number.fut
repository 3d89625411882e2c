-- error: type-mismatch
def f (n: i32) : i32 = loop acc = 0 for x in n do acc + x

-- error: type-mismatch
def f (x: i32) : i32 = if 1 then x else 0

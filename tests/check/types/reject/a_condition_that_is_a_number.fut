-- error: type-mismatch
def f (x: i32) = if x then 1i32 else 2

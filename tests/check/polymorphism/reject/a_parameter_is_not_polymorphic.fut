-- error: type-mismatch
def f (g: i32 -> i32) = (g 1, g true)

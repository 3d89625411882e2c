-- error: type-mismatch
def f (x: i32) = x == "a"

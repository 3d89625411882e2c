-- error: type-mismatch
def x : i32 = "1"

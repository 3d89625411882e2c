-- error: unknown-name
def x : i32 = x + 1

-- error: unknown-name
def f (x: int) : i32 = 1

-- error: unknown-name
def f (x: i32) : i32 = return x

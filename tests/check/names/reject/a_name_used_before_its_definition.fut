-- error: unknown-name
def f (x: i32) : i32 = g x
def g (x: i32) : i32 = x

-- error: unexpected-token
def f (x: i32) : i32 = match x
def g = 1i32

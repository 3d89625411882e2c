-- error: too-many-arguments
def f (x: i32) : i32 = x
def g = f 1 2i32

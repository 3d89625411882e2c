-- error: unknown-name
def f (x: i32) : i32 = wrong x
def g (x: i32) : i32 = f x + f 2i32

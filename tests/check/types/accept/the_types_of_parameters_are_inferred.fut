def f x y = x + i64.i32 y
def g = f 1 2

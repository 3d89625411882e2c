-- error: type-mismatch
def g (x: i32) (y: i32) = x + y
def f (x: i32) = g(x, x)

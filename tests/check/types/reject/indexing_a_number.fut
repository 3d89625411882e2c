-- error: cannot-index
def f (x: i32) = x[0]

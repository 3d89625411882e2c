-- error: type-mismatch
def f (x: i32) (y: i32) = x && y

-- error: type-mismatch
def f (x: i32) (y: bool) = [x, y]

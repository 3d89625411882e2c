-- error: no-field
def f (x: i32) = x.y

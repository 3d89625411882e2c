-- error: type-mismatch
def f (r: {x: i32, y: bool}) = r with x = true

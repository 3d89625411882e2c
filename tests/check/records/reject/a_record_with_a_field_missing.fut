-- error: type-mismatch
def f (r: {x: i32, y: i32}) = r.x
def g = f {x = 1i32}

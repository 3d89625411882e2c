-- error: type-mismatch
def f (r: {x: i32}) = r.x
def g = f {x = 1i32, y = 2i32}

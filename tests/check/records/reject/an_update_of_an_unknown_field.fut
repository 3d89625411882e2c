-- error: no-field
def f (r: {x: i32}) = r with z = 1i32

-- error: duplicate-field
def f (r: {x: i32, x: bool}) = r

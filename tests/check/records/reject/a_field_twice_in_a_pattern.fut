-- error: duplicate-field
def f ({x = a, x = _}: {x: i32}) = a

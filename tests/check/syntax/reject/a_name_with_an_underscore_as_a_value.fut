-- error: underscore-use
def f (_x: i32) : i32 = _x + 1

-- error: underscore-use
def f (_: i32) : i32 = _ + 1

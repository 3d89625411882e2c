-- error: unused-size
def f [n] (x: i32) : i32 = x

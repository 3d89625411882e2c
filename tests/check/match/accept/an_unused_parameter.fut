-- warning: unused-name
def f (x: i32) (y: i32) : i32 = y

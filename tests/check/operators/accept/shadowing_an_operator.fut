def (+) (x: i32) (y: i32) : i32 = x - y
def a : i32 = 1 + 2

type x = i32
def x : x = 1
def f (x: x) : x = x

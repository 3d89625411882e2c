def f (a: i32) (b: i32) (c: i32) = a + b * c
def g = f 1
def h = g 2
def x = h 3

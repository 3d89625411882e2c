-- error: unexpected-token
def f (x: i32) = x +
def g = 2

def f (x: i32) (y: bool) = {x, y}
def g = (f 1 true).x

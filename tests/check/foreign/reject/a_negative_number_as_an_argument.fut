-- error: type-mismatch
def g (x: i32) = x
def f = g -1

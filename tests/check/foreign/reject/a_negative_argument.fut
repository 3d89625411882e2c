-- error: type-mismatch
def g (x: i32) = x
def f (x: i32) = g -x

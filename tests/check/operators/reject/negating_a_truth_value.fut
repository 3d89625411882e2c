-- error: type-mismatch
def f (x: bool) = -x

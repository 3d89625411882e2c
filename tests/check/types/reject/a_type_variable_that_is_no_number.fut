-- error: type-mismatch
def f 'a (x: a) : a = x + x

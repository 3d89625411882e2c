-- error: type-mismatch
def f 'a 'b (x: a) (_: b) : b = x

-- error: type-mismatch
def f 'a (_: a) : a = 1

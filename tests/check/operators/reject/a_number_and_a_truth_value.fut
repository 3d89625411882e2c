-- error: type-mismatch
def f = 1 + true

-- error: type-mismatch
def f = true + 1

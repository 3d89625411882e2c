-- error: size-mismatch
def f = zip [1, 2, 3] [1, 2]

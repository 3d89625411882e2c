-- error: unknown-name
def f (x: double) = x

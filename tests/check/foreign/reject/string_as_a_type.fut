-- error: unknown-name
def f (x: String) = x

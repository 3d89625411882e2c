-- error: unknown-name
def f (x: float) : float = x

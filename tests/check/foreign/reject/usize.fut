-- error: unknown-name
def f (x: usize) = x

-- error: unknown-name
def f (x: list i32) = x

-- error: unknown-name
def f (x: Maybe i32) = x

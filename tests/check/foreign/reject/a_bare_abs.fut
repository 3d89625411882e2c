-- error: unknown-name
def f (x: i32) = abs x

-- error: unknown-name
def f (x: i32) = x === 0

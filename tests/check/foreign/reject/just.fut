-- error: unknown-name
def f (x: i32) = Just x

-- error: unknown-name
def f (x: i32) (y: i32) = max x y

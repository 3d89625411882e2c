-- error: unexpected-token
def f (x: i32) = if x > 0 thn 1 else 2

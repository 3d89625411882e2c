-- error: unexpected-token
def f (x: i32) = let y = 1 in in y

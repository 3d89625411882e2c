-- error: unexpected-token
def loop (x: i32) = x

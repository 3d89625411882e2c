-- error: unexpected-end-of-file
def f (x: i32) : i32 =

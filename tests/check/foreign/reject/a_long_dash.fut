-- error: unexpected-character
def f (x: i32) = x − 1

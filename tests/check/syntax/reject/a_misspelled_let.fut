-- error: unexpected-token
def f (x: i32) = lte y = x in y

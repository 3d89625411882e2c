-- error: unexpected-token
def f (x: i32) = (x + 1)) * 2

def g (x: i32) = x

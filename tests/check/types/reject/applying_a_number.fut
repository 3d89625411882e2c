-- error: not-a-function
def f (x: i32) = x 1i32

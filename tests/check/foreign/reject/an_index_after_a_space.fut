-- error: not-a-function
def f (xs: []i32) = xs [0]

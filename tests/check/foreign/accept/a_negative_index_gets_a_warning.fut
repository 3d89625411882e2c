-- warning: negative-index
def f (xs: []i32) = xs[-1]

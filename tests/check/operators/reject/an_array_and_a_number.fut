-- error: type-mismatch
def f (xs: []i32) = xs + 1

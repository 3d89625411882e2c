-- error: type-mismatch
def f (xs: []i32) = 1 + xs

-- error: type-mismatch
def f (xs: []i32) = map(f, xs)

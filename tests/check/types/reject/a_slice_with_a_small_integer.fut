-- error: type-mismatch
def f (xs: []i32) (x: i32) = xs[:x]

-- error: type-mismatch
def f (xs: []i32) (x: u32) = xs[x]

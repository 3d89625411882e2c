-- error: type-mismatch
def f (xs: []i32) (x: f32) = xs[x]

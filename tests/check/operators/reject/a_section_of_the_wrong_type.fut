-- error: type-mismatch
def f (xs: []i32) = map (+ 1.5f32) xs

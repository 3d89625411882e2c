-- error: type-mismatch
def f (xs: []f32) = map (+ 1i32) xs

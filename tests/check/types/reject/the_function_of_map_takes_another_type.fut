-- error: type-mismatch
def f (xs: []f32) = map (\(x: i32) -> x + 1) xs

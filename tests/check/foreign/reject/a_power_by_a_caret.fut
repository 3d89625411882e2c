-- error: type-mismatch
def f (x: f32) = x ^ 2.0f32

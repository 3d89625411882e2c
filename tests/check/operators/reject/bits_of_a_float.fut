-- error: type-mismatch
def f (x: f32) = x & 1

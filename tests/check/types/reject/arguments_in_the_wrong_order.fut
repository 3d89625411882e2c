-- error: type-mismatch
def f (x: i32) (y: bool) (z: f32) : f32 = if y then f32.i32 x else z
def g = f 1 2.0 true

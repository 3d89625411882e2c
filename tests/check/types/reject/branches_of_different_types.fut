-- error: type-mismatch
def f (b: bool) (x: i32) (y: f32) = if b then x else y

-- error: type-mismatch
-- error: unknown-name
-- error: type-mismatch
def f (x: i32) : bool = x
def g = nothing_here
def h (x: f32) : i32 = x

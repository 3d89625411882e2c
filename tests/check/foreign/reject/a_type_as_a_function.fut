-- error: module-as-value
def f (x: i32) = f32(x)

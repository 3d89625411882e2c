-- error: no-field
def f (x: f32) = (x + 1).sqrt()

-- error: unknown-name
def f (r: f32) = pi * r * r

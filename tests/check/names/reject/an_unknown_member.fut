-- error: unknown-name
def f (x: f32) : f32 = f32.squirt x

def f (x: f32) : f32 = f32.(sqrt (x * x) + pi)

def a : f64 = 1e3
def b : f32 = 1.5e-3
def c : f64 = 0x1.8p3

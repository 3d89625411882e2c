import "../lib/shapes"
def f (x: shape) : f32 = area x

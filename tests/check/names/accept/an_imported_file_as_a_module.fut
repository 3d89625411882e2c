module shapes = import "../lib/shapes"
def f (x: shapes.shape) : f32 = shapes.area x

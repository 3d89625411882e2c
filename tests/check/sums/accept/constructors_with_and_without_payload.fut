type shape = #circle f32 | #square f32 | #point
def unit : shape = #circle 1
def origin : shape = #point
def f (s: shape) : f32 = match s case #circle r -> r case #square a -> a case #point -> 0

-- error: type-arity
def f (x: f32[10]) = x

-- error: type-mismatch
def f (x: f64) : f64 = x * x
def g (x: f64) : f64 = jvp f x (x, x)

def f (x: (f64, f64)) : (f64, f64) = (x.0 * x.1, x.0 + x.1)
def g (x: (f64, f64)) = jvp2 f x (1, 0)

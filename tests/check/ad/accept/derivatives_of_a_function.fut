def f (x: f64) : f64 = x * x
def forwards (x: f64) : f64 = jvp f x 1
def backwards (x: f64) : f64 = vjp f x 1
def both (x: f64) : (f64, f64) = vjp2 f x 1

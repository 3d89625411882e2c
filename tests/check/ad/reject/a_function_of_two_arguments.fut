-- error: functional-type
def f (x: f64) (y: f64) : f64 = x * y
def g (x: f64) = vjp f x

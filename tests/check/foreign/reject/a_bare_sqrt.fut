-- error: unknown-name
def f (x: f64) = sqrt x

def f (x: f64) : f64 = x f64.+ 1

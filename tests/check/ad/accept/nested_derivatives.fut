def second (f: f64 -> f64) (x: f64) : f64 = jvp (\y -> jvp f y 1) x 1

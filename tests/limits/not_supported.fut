-- A program that is right, but cannot be translated yet.

entry main (x: f64) : f64 = vjp (\y -> y * y) x 1

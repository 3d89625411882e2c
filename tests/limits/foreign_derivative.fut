-- Nobody has said what the derivative of a foreign function is.

#[foreign(c(half))]
def half (x: f64) : f64 = x / 2

entry main (x: f64) : f64 = vjp half x 1

-- error: size-mismatch
def loss [n] (w: [n]f64) : [n]f64 = map (* 2) w
def g [n] (w: [n]f64) (s: [3]f64) = vjp loss w s

def loss [n] (w: [n]f64) : f64 = f64.sum (map (\x -> x * x) w)
def grad [n] (w: [n]f64) : [n]f64 = vjp loss w 1

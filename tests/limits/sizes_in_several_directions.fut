-- An adjoint that somebody has given decides how much there is, which differs from direction to direction.

def f (x: f64) : f64 = with_vjp (\x -> x * x) (\_ a -> f64.sum (filter (> 0) [a, -a, a * 2])) x

entry main (k: i64) (x: f64) : [k]f64 = mjp f x (tabulate k f64.i64)

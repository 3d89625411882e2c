-- Least squares: how far a polynomial with these coefficients is from the sign function on n points.
-- ==
-- entry: primal gradient
-- random input { 100000i64 [64]f64 }

def cost [m] (n: i64) (x: [m]f64) : f64 =
  let point i = -1 + 2 * f64.i64 i / f64.i64 (n - 1)
  let value t = f64.sum (map2 (\x j -> x * t ** f64.i64 j) x (iota m))
  let squared y = y * y
  in 0.5 * f64.sum (tabulate n (\i -> let t = point i in squared (f64.sgn t - value t)))

entry primal [m] (n: i64) (x: [m]f64) = cost n x

entry gradient [m] (n: i64) (x: [m]f64) = vjp (cost n) x 1

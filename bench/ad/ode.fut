-- A chain of linear differential equations, solved by the method of Runge and Kutta; the gradient of the last part of the
-- solution with respect to the coefficients.
-- ==
-- entry: primal gradient
-- random input { 1000i64 [1000]f64 }

def solve [n] (steps: i64) (x: [n]f64) : [n]f64 =
  let dt = 2 / f64.i64 steps
  let change y = map2 (\i x -> if i == 0 then x else x * y[i - 1]) (iota n) x
  let add y s k = map2 (\y k -> y + s * k) y k
  in loop y = replicate n 0 for _i < steps do
       let k1 = change y
       let k2 = change (add y (dt / 2) k1)
       let k3 = change (add y (dt / 2) k2)
       let k4 = change (add y dt k3)
       in map5 (\y a b c d -> y + dt / 6 * (a + 2 * b + 2 * c + d)) y k1 k2 k3 k4

-- With coefficients below one, the last of 1000 parts would be too small for a number.
def large (x: []f64) = map (* 600) x

entry primal [n] (steps: i64) (x: [n]f64) = last (solve steps (large x))

entry gradient [n] (steps: i64) (x: [n]f64) = vjp (\x -> last (solve steps x)) (large x) 1

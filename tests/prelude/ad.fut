-- Derivatives of functions whose derivatives are easy.
-- ==
-- entry: forward
-- input { 3.0 } output { 27.0 6.0 12.0 }

-- ==
-- entry: reverse
-- input { [1.0, 2.0, 3.0] } output { 14.0 [2.0, 4.0, 6.0] [4.0, 8.0, 12.0] }

-- ==
-- entry: several
-- input { 2.0 5.0 } output { 10.0 [5.0, 2.0] [[5.0, 2.0], [10.0, 4.0]] }

-- ==
-- entry: own_derivative
-- input { 2.0 } output { 8.0 100.0 }

-- ==
-- entry: own_derivative_tape
-- input { 2.0 } output { 8.0 12.0 }

def cube (x: f64) = x * x * x

entry forward (x: f64) : (f64, f64, f64) =
  let (y, _) = jvp2 cube x 1
  in (y, jvp (\x -> x * x) x 1, jvp (\x -> x * x) x 2)

entry reverse [n] (xs: [n]f64) : (f64, [n]f64, [n]f64) =
  let square_sum ys = f64.sum (map (\y -> y * y) ys)
  let (y, gradient) = vjp2 square_sum xs 1
  in (y, gradient, vjp square_sum xs 2)

entry several (x: f64) (y: f64) : (f64, []f64, [][]f64) =
  let product (a: f64, b: f64) = a * b
  let (z, forwards) = jmp2 product (x, y) [(1, 0), (0, 1)]
  let backwards = mjp product (x, y) [1, 2]
  in (z, forwards, map (\(a, b) -> [a, b]) backwards)

-- A wrong derivative shows that it is the one used.
entry own_derivative (x: f64) : (f64, f64) =
  let f = with_vjp cube (\y y' -> 12.5 * y * y')
  in (f x, vjp f x 1)

entry own_derivative_tape (x: f64) : (f64, f64) =
  let f = with_vjp_tape (\x -> (3 * x * x, cube x)) (\(slope, y') -> slope * y')
  in (f x, vjp f x 1)

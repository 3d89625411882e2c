-- Derivatives: fitting a curve, Newton's method, an ordinary differential equation, a small network.
-- ==
-- entry: fit
-- input { [0.0, 1.0, 2.0, 3.0] [1.0, 3.0, 5.0, 7.0] } output { 2.0 1.0 }

-- ==
-- entry: root
-- input { 2.0 } output { 1.4142135623730951 }

-- ==
-- entry: decay
-- input { 0.5 } output { -0.6065 }

-- ==
-- entry: learn
-- input { 2000i64 } output { [0i32, 1i32, 1i32, 0i32] }

-- | The line through points with the least squares of distances: `a x + b`, by gradient descent.
entry fit [n] (xs: [n]f64) (ys: [n]f64) : (f64, f64) =
  let cost (a, b) = f64.sum (map2 (\x y -> (a * x + b - y) ** 2) xs ys)
  let (a, b) = loop (a, b) = (0, 0) for _i < 2000i64 do
    let (da, db) = vjp cost (a, b) 1
    in (a - 0.02 * da, b - 0.02 * db)
  in (f64.round (a * 1e6) / 1e6, f64.round (b * 1e6) / 1e6)

-- | The square root of a number, by Newton's method.
entry root (c: f64) : f64 =
  loop x = c for _i < 10i64 do
    let (y, dy) = jvp2 (\x -> x * x - c) x 1
    in x - y / dy

-- | How the solution of y' = -k y at time 1 depends on k, through all steps of Euler's method.
entry decay (k: f64) : f64 =
  let y k = loop y = 1.0 for _i < 10000i64 do y - 1e-4 * k * y
  in f64.round (vjp y k 1 * 1e4) / 1e4

-- | A network with one layer of four learns the exclusive disjunction.
entry learn (steps: i64) : []i32 =
  let inputs = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
  let wanted = [0.0, 1.0, 1.0, 0.0]
  let eval (ws: [4](f64, f64, f64, f64), bias: f64) (x, y) =
    bias + f64.sum (map (\(a, b, c, d) -> d * f64.tanh (a * x + b * y + c)) ws)
  let cost weights = f64.sum (map2 (\xy t -> (eval weights xy - t) ** 2) inputs wanted)
  let start = ([(1.0, -1.0, 0.1, 0.5), (-1.0, 1.0, 0.2, 0.5), (1.0, 1.0, -0.5, -0.4), (0.5, 0.3, 0.0, 0.2)], 0.0)
  let (ws, bias) = loop (ws, bias) = start for _i < steps do
    let (dws, dbias) = vjp cost (ws, bias) 1
    let move (a, b, c, d) (da, db, dc, dd) = (a - 0.05 * da, b - 0.05 * db, c - 0.05 * dc, d - 0.05 * dd)
    in (map2 move ws dws, bias - 0.05 * dbias)
  in map (\xy -> i32.f64 (f64.round (eval (ws, bias) xy))) inputs

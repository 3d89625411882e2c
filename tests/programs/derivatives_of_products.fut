-- Gradients of products: quotients, zeros, products that are too large, second derivatives, and products of rows.

-- ==
-- entry: gradient
-- input { [2f64, 3f64, 4f64] } output { [12f64, 8f64, 6f64] }
-- input { [2f64, 0f64, 4f64] } output { [0f64, 8f64, 0f64] }
-- input { [0f64, 0f64, 4f64] } output { [0f64, 0f64, 0f64] }
-- input { empty([0]f64) } output { empty([0]f64) }
-- input { [5f64] } output { [1f64] }
-- input { [1e300f64, 1e300f64, 1e-300f64] } output { [1f64, 1f64, f64.inf] }
entry gradient [n] (xs: [n]f64) = vjp f64.product xs 1

-- ==
-- entry: hessian
-- input { [2f64, 3f64, 4f64] } output { [[0f64, 4f64, 3f64], [4f64, 0f64, 2f64], [3f64, 2f64, 0f64]] }
-- input { [2f64, 0f64, 4f64] } output { [[0f64, 4f64, 0f64], [4f64, 0f64, 2f64], [0f64, 2f64, 0f64]] }
entry hessian [n] (xs: [n]f64) =
  map (\i -> jvp (\xs -> vjp f64.product xs 1) xs (tabulate n (\j -> f64.bool (i == j)))) (iota n)

-- ==
-- entry: twice
-- input { [2f64, 3f64, 4f64] } output { [7f64, 6f64, 5f64] }
-- input { [2f64, 0f64, 4f64] } output { [4f64, 6f64, 2f64] }
entry twice [n] (xs: [n]f64) = vjp (\xs -> f64.sum (vjp f64.product xs 1)) xs 1

-- ==
-- entry: rows
-- input { [[2f32, 3f32], [0f32, 5f32]] } output { [[3f32, 2f32], [5f32, 0f32]] }
entry rows [n][m] (xs: [n][m]f32) = vjp (\xs -> f32.sum (map f32.product xs)) xs 1

-- ==
-- entry: bins_twice
-- input { [2f64, 3f64, 4f64] } output { [7f64, 6f64, 5f64] }
-- input { [2f64, 0f64, 4f64] } output { [4f64, 6f64, 2f64] }
entry bins_twice [n] (xs: [n]f64) =
  vjp (\xs -> f64.sum (vjp (\xs -> (reduce_by_index [1] (*) 1 (replicate n 0) xs)[0]) xs 1)) xs 1

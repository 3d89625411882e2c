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

-- Products in a nest of maps, and in a branch and a loop inside of it: quotients if all are normal numbers, also of those that are not tested.
-- ==
-- entry: nest
-- input { [[[2f64, 3f64], [4f64, 5f64]], [[1f64, 6f64], [7f64, 2f64]]] } output { true }
-- input { [[[2f64, 0f64], [4f64, 5f64]], [[1f64, 6f64], [0f64, 0f64]]] } output { true }
-- input { [[[1e-200f64, 1e-200f64], [4f64, 5f64]], [[1f64, 6f64], [7f64, 2f64]]] } output { true }
entry nest [k][n][m] (xsss: [k][n][m]f64) : bool =
  let cost (xss: [n][m]f64) =
    let ps = map f64.product xss
    let q = if n > 1 then f64.product xss[1] else 0
    let r = loop r = 1 for i < n do r + f64.product xss[i]
    in f64.sum ps + q * 2 + r * 3 + (reduce (\a b -> a + b + f64.product [a, b]) 0 ps)
  let others (xs: [m]f64) = tabulate m (\i -> f64.product (tabulate m (\j -> if i == j then 1 else xs[j])))
  let expected (xss: [n][m]f64) =
    let ps = map f64.product xss
    let each i = 4 + (if i == 1 then 2 else 0) + f64.product (tabulate n (\j -> if i == j then 1 else 1 + ps[j]))
    in tabulate n (\i -> map (* each i) (others xss[i]))
  let same (a: f64) b = a == b || f64.abs (a - b) <= 1e-9 * f64.abs a
  let gs = vjp (map cost) xsss (replicate k 1)
  in and (map2 (\g xss -> and (map2 (\a b -> and (map2 same a b)) g (expected xss))) gs xsss)

-- Contributions of which nothing is left if there are no elements, and sums of derivatives that do more than add.
-- ==
-- entry: no_elements
-- input { [0i64, 1, 1] [0i64, 1000000000000, 2] [1f64, 2, 3] empty([2][0]f64) }
-- output { empty([2][0]f64) }

entry no_elements [n] [k] [d] [l] (is: [n]i64) (js: [n]i64) (v: [l]f64) (x: [k][d]f64) =
  vjp (\(x: [k][d]f64) -> f64.sum (map2 (\i j -> f64.sum (map (\e -> e * v[j]) x[i])) is js)) x 1

def scaled [n] (k: i64) (x: [n]f64, y: [n]f64) : [n]f64 = map (\y -> x[k] * y * y) y

-- ==
-- entry: sum_and_difference
-- input { 1i64 [3.0, 2.0, 1.0] [1.0, 2.0, 3.0] }
-- output { [4.0, 22.0, 12.0] [-4.0, 6.0, -12.0] }

entry sum_and_difference [n] (k: i64) (x: [n]f64) (y: [n]f64) =
  let (gx, gy) = vjp (scaled k) (x, y) (replicate n 1)
  in unzip (map2 (\a b -> (a + b, a - b)) gx gy)

-- ==
-- entry: checked_sum
-- input { 1i64 [3.0, 2.0, 1.0] [1.0, 2.0, 3.0] 0.0 }
-- output { [4.0, 22.0, 12.0] }
-- input { 1i64 [3.0, 2.0, 1.0] [1.0, 2.0, 3.0] 1.0 }
-- error: Assertion is false

entry checked_sum [n] (k: i64) (x: [n]f64) (y: [n]f64) (least: f64) =
  let (gx, gy) = vjp (scaled k) (x, y) (replicate n 1)
  in map2 (\a b -> assert (a >= least) (a + b)) gx gy

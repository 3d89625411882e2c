-- Gradients of reads at wrapped positions: each index has one position, unless a number has more than 64 bits before the rest is taken.

-- ==
-- entry: products
-- input { [1.0, 2.0, 3.0, 5.0] }
-- output { [6.0, 10.0, 2.0, 4.0] }
-- input { empty([0]f64) }
-- output { empty([0]f64) }
entry products [n] (a: [n]f64) =
  vjp (\a -> f64.sum (tabulate n (\i -> a[(i - 1) % n] * a[(i + 1) % n]))) a 1

-- ==
-- entry: by_columns
-- input { [2i64, -7i64, 1i64] [1.0, 10.0, 100.0, 1000.0, 10000.0] }
-- output { [[200.0, 5000.0, 50.0], [3000.0, 60000.0, 600.0], [40000.0, 2.0, 7000.0], [0.0, 30.0, 80000.0], [10.0, 400.0, 4.0]] }
-- input { [-9223372036854775807i64, 9223372036854775807i64, -9223372036854775804i64] [1.0, 10.0, 100.0, 1000.0, 10000.0] }
-- output { [[40000.0, 400.0, 50.0], [0.0, 5000.0, 600.0], [10.0, 60000.0, 87000.0], [200.0, 2.0, 0.0], [3000.0, 30.0, 4.0]] }
entry by_columns [n] [m] (cs: [m]i64) (weights: [n]f64) =
  let f (a: [n][m]f64) =
    map f64.sum (tabulate_2d n m (\i j -> a[(i - cs[j]) % n, j] * f64.i64 (i + 2 * j)))
  in vjp f (replicate n (replicate m 1)) weights

-- ==
-- entry: backwards
-- input { 7i64 [1.0, 10.0, 100.0, 1000.0] }
-- output { [200.0, 10.0, 0.0, 3000.0] }
-- input { 9223372036854775803i64 [1.0, 10.0, 100.0, 1000.0] }
-- output { [200.0, 10.0, 0.0, 3000.0] }
-- input { -9223372036854775806i64 [1.0, 10.0, 100.0, 1000.0] }
-- output { [10.0, 0.0, 3000.0, 200.0] }
entry backwards [n] (k: i64) (weights: [n]f64) =
  vjp (\a -> tabulate n (\i -> a[(k - i + 3) % n] * f64.i64 i)) (replicate n 1) weights

-- Where nothing is read, nothing is divided.
-- ==
-- entry: of_nothing
-- input { 0i64 [0i64, 5i64] [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] }
-- output { [[0.0, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]] }
-- input { 2i64 [10i64, 5i64] [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] }
-- output { [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] }
-- input { 2i64 [10i64, 0i64] [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0], [1.0, 2.0]] }
-- error: division by zero
entry of_nothing [m] (n: i64) (d: [m]i64) (a: [4][m]f64) : [4][m]f64 =
  vjp (\a -> f64.sum (map (\j -> f64.sum (map (\i -> a[i + 10 / d[j], j]) (iota n))) (iota m))) a 1

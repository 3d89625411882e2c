-- Derivatives in several directions at once are those in one after the other; and choices and products in reverse mode.
-- ==
-- entry: forward reverse second
-- input { 0i64 [1.5, 0.3, 2.0, 0.7] } output { true }
-- input { 6i64 [1.5, 0.3, 2.0, 0.7] } output { true }

-- ==
-- entry: choices
-- input { [0.2, 0.7, 0.55, 1.5] } output { [0.0, 0.0, 0.15, -0.2475] }

-- ==
-- entry: bins
-- input { [1.5, 2.0, 0.0, 7.0, 3.0, 2.0, 0.5] }
-- output { [9.0, 0.0, 1.5] [12.0, 0.0, 12.0, 0.0, 6.0, 9.0, 12.0] }
-- input { [1e-200, 2.0, 0.0, 7.0, 1e-200, 1e300, 0.5] }
-- output { [1e-100, 0.0, 1.5] [2e100, 0.0, 12.0, 0.0, 2e100, 0.0, 12.0] }

def f (x: [4]f64) : [3]f64 =
  let s = f64.sum (map (\v -> f64.sin v * v) x)
  let p = reduce (*) 1 x
  let q = scan (\a b -> a * b + a + b) 0 x
  let h = reduce_by_index [0, 0, 0] (+) 0 [0, 1, 1, 5] (map (\v -> v * v) x)
  let l = loop a = x[0] for i < 5 do if a > 3 then a * x[1] else a + x[i % 4] * s
  let u = loop xs = copy x for i < 3 do xs with [i + 1] = xs[i] * xs[i + 1]
  let r = f64.sum (map (\i -> x[i] * x[(i + 1) % 4]) (iota 4))
  in [s * p + q[3], f64.maximum x * h[1] + l + u[3], h[0] + r]

def near [n] [m] (a: [n][m]f64) (b: [n][m]f64) : bool =
  and (map2 (\a b -> and (map2 (\a b -> f64.abs (a - b) <= 1e-9 * (1 + f64.abs b)) a b)) a b)

-- All directions by number; those that are few are also as many variables.
def seeds n m : [n][m]f64 = tabulate_2d n m (\i j -> f64.i64 (i * j + i + 1) / 7)

entry forward (n: i64) (x: [4]f64) : bool =
  let one = map (jvp f x) (seeds 6 4)
  in near (jmp f x (seeds n 4)) (take n one) && near (jmp f x (seeds 2 4)) (take 2 one)

entry reverse (n: i64) (x: [4]f64) : bool =
  let one = map (vjp f x) (seeds 6 3)
  in near (mjp f x (seeds n 3)) (take n one) && near (#[unroll] mjp f x (seeds 2 3)) (take 2 one)

entry second (n: i64) (x: [4]f64) : bool =
  let g x = vjp (\(x: [4]f64) -> f64.sum (map (\v -> f64.sin v * v) x) * x[0] * f64.maximum x) x 1
  in near (jmp g x (seeds n 4)) (map (jvp g x) (seeds n 4))
     && near (mjp g x (seeds n 4)) (map (jvp g x) (seeds n 4))

-- The least, with its index.
entry choices [n] (x: [n]f64) : [n]f64 =
  let least (a: f64, i: i64) (b, j) = if a < b then (a, i) else if b < a then (b, j) else if i < j then (a, i) else (b, j)
  let f (x: [n]f64) =
    let (v, i) = reduce least (f64.inf, -1) (zip (map (\x -> x * x - x) x) (iota n))
    in v * x[(i + 1) % n]
  in vjp f x 1

entry bins [n] (values: [n]f64) : ([3]f64, [n]f64) =
  let f (bins, values) = reduce_by_index (copy bins) (*) 1 (map (\i -> [0, 1, 1, 5, 0, 0, 2][i % 7]) (iota n)) values
  in vjp f ([2, 3, 4], values) [1, 2, 3]

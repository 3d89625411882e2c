-- Gradients of histograms by operators without a rule of their own: in any order, in bins that nobody fills, outside of all bins, with rows, with several
-- indices, and with numbers that the operator captures.

-- A monoid that does not commute: linear functions.
def after (a: (f64, f64)) (b: (f64, f64)) : (f64, f64) = (a.0 * b.0, a.1 * b.0 + b.1)

def linear [n] [k] (dest: [k](f64, f64)) (is: [n]i64) (vs: [n](f64, f64)) : [k](f64, f64) =
  reduce_by_index (copy dest) after (1, 0) is vs

-- The same without a histogram.
def one_by_one [n] [k] (dest: [k](f64, f64)) (is: [n]i64) (vs: [n](f64, f64)) : [k](f64, f64) =
  loop bins = copy dest for i < n do
    if is[i] >= 0 && is[i] < k then bins with [is[i]] = after bins[is[i]] vs[i] else bins

def close (a: f64) (b: f64) = f64.abs (a - b) <= 1e-9 * (1 + f64.abs a)

-- ==
-- entry: agree
-- input { 0i64 3i64 } output { true }
-- input { 1i64 1i64 } output { true }
-- input { 100i64 3i64 } output { true }
-- input { 100i64 50i64 } output { true }
-- input { 10i64 0i64 } output { true }
entry agree (n: i64) (k: i64) : bool =
  let number i = 0.5 + f64.i64 (i * 7919 % 101) / 100
  let dest = tabulate k (\i -> (number (i + 3), number (i + 5)))
  let is = tabulate n (\i -> i * 104729 % (k + 2) - 1)
  let vs = tabulate n (\i -> (number i, number (i + 50)))
  let seed = tabulate k (\i -> (number (i + 7), number (i + 11)))
  let (ds, gs) = vjp (\(d, v) -> linear d is v) (dest, vs) seed
  let (es, hs) = vjp (\(d, v) -> one_by_one d is v) (dest, vs) seed
  let same (a: (f64, f64)) (b: (f64, f64)) = close a.0 b.0 && close a.1 b.1
  in and (map2 same ds es) && and (map2 same gs hs)

-- The operator captures `c`; by the derivative with respect to it, the directions must agree.
-- ==
-- entry: captured
-- input { 40i64 3i64 } output { true }
entry captured (n: i64) (k: i64) : bool =
  let is = tabulate n (\i -> i * 31 % (k + 1))
  let vs = tabulate n (\i -> f64.i64 (i % 7) / 8)
  let hist c = reduce_by_index (replicate k 0) (\x y -> x + y + c * x * y) 0 is vs |> f64.sum
  in close (vjp hist 0.25 1) (jvp hist 0.25 1)

-- An operator without a derivative at its neutral element: nothing comes of bins that nobody fills, nor of values outside of all bins.
-- ==
-- entry: norms
-- input { [0f64, 3f64, 0f64] [0i64, 0i64, 7i64, 0i64] [3f64, 4f64, 5f64, 12f64] }
-- output { [0f64, 1f64, 1f64] [0.23076923076923078f64, 0.3076923076923077f64, 0f64, 0.9230769230769231f64] }
entry norms [n] [k] (dest: [k]f64) (is: [n]i64) (vs: [n]f64) : ([k]f64, [n]f64) =
  let hist (d, v) = reduce_by_index (copy d) (\x y -> f64.sqrt (x * x + y * y)) 0 is v
  in vjp hist (dest, vs) (replicate k 1)

-- Rows, two indices, inside of a map.
-- ==
-- entry: nested
-- input { 3i64 20i64 } output { true }
entry nested (m: i64) (n: i64) : bool =
  let number i = 0.5 + f64.i64 (i * 7919 % 101) / 100
  let hist (vs: [n][2]f64) : [3][2][2]f64 =
    reduce_by_index_2d (replicate 3 (replicate 2 [1, 1])) (map2 (\x y -> x * y + x + y)) [0, 0]
                       (tabulate n (\i -> (i % 4, i * 5 % 3))) vs
  let cost vs = f64.sum (map (map f64.sum >-> f64.sum) (hist vs))
  let vss = tabulate_3d m n 2 (\h i j -> number (h + i * 3 + j * 5))
  let total vss = f64.sum (map cost vss)
  let ones = tabulate_3d m n 2 (\h i j -> number (h * 5 + i + j * 3))
  let by_rows = map (\vs -> vjp cost vs 1) vss
  let all = vjp total vss 1
  let flat a = flatten (map flatten a)
  in close (f64.sum (map2 (*) (flat all) (flat ones))) (jvp total vss ones)
     && and (map2 close (flat all) (flat by_rows))

-- Forward mode where values equal the neutral element: bins in which there is nothing have no say in the tangent.
def later (x: i32) (y: i32) = if x < y then x else y

-- ==
-- entry: neutral
-- input { 2i64 300i64 } output { [7i32, 7i32] [0i32, 0i32] [7i32, 7i32] }
-- input { 2i64 0i64 } output { [0i32, 0i32] [0i32, 0i32] [0i32, 0i32] }
entry neutral (k: i64) (n: i64) =
  let none = replicate k i32.highest
  let combine op (xs: [n]i32) = reduce_by_index (copy none) op i32.highest (map (% k) (iota n)) xs
  let accumulate (xs: [n]i32) =
    intrinsics.hist_stream (copy none) later i32.highest
                           (\(acc: *intrinsics.acc ([k]i32)) (i, x) -> intrinsics.acc_write acc (i % k) x)
                           (zip (iota n) xs)
  let tangent f = jvp f (replicate n i32.highest) (replicate n 7)
  in (tangent (combine later), tangent (combine i32.min), tangent accumulate)

-- ==
-- entry: outside
-- input { 50i64 [-1i64, -1i64, 3i64, 3i64, 7i64] [0.0, 0.0, 3.0, 4.0, 2.0] } output { [0.0, 0.0, 0.6, 0.8, 1.0] }

-- What is in no bin has no say, although the derivative of the operator is none there.
entry outside [n] (m: i64) (is: [n]i64) (vs: [n]f64) =
  vjp (\vs -> reduce_by_index (replicate m 0) (\x y -> f64.sqrt (x * x + y * y)) 0 is vs) vs (replicate m 1)

-- The adjoint of the largest value waits while that of the histogram is computed in one of two ways: neither may lose it.
-- ==
-- entry: largest_too
-- input { 3i64 8f64 } output { 9f64 }
entry largest_too (n: i64) (x: f64) : f64 =
  let both (y: f64) =
    let ys = replicate n y
    in (linear (replicate 2 (y, y)) (map i64.f64 ys) (zip ys ys), f64.maximum ys)
  in vjp both x (replicate 2 (0, 0), 9)

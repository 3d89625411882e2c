-- Accumulations by operators that do not add, in reverse mode: what is contributed becomes the input of a histogram. The
-- values are those of the same products without accumulators.

-- ==
-- entry: one two branches loops
-- input { [0i64, 1i64, 0i64, 5i64, 2i64, 0i64] [2.0, 3.0, 5.0, 7.0, 11.0, 0.5] } output { true }

-- The derivative of the products of three bins, of which each position contributes to k.
def dense [n] (k: i64) (f: i64 -> f64 -> i64 -> (i64, f64)) (is: [n]i64) (xs: [n]f64) =
  let product xs b =
    map2 (\i x -> tabulate k (\j -> let (i, v) = f i x j in if i == b then v else 1)) is xs
    |> flatten
    |> reduce (*) 1
  in vjp (\xs -> tabulate 3 (product xs)) xs [1, 2, 3]

def equal [n] (xs: [n]f64) (ys: [n]f64) = and (map2 (\x y -> f64.abs (x - y) <= 1e-9 * f64.abs y) xs ys)

entry one [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 3 1f64) (*) 1
                           (\(acc: *intrinsics.acc ([3]f64)) (i, x) -> intrinsics.acc_write acc i x)
                           (zip is xs)
  in equal (vjp f xs [1, 2, 3]) (dense 1 (\i x _ -> (i, x)) is xs)

entry two [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 3 1f64) (*) 1
                           (\(acc: *intrinsics.acc ([3]f64)) (i, x) ->
                              let acc = intrinsics.acc_write acc i x
                              in intrinsics.acc_write acc ((i + 1) % 3) (x * x))
                           (zip is xs)
  in equal (vjp f xs [1, 2, 3]) (dense 2 (\i x j -> if j == 0 then (i, x) else ((i + 1) % 3, x * x)) is xs)

entry branches [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 3 1f64) (*) 1
                           (\(acc: *intrinsics.acc ([3]f64)) (i, x) ->
                              if x > 4
                              then intrinsics.acc_write acc i x
                              else if x > 2
                              then let acc = intrinsics.acc_write acc ((i + 1) % 3) (x * x)
                                   in intrinsics.acc_write acc i (x * 2)
                              else acc)
                           (zip is xs)
  let g i x j =
    if x > 4 && j == 0
    then (i, x)
    else if x <= 4 && x > 2
    then if j == 0 then ((i + 1) % 3, x * x) else (i, x * 2)
    else (-1, x)
  in equal (vjp f xs [1, 2, 3]) (dense 2 g is xs)

entry loops [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 3 1f64) (*) 1
                           (\(acc: *intrinsics.acc ([3]f64)) (i, x) ->
                              let acc = intrinsics.acc_write acc 0 x
                              in loop acc for j < n do
                                   intrinsics.acc_write acc ((i + j) % 3) (x + f64.i64 j))
                           (zip is xs)
  let g i x j = if j == 0 then (0, x) else ((i + j - 1) % 3, x + f64.i64 (j - 1))
  in equal (vjp f xs [1, 2, 3]) (dense (n + 1) g is xs)

-- ==
-- entry: rows
-- input { [0i64, 1i64, 0i64, 2i64] [2.0, 3.0, 5.0, 7.0] } output { [11.0, 2.0, 5.0, 0.0] }

-- Rows, which are multiplied element by element.
entry rows [n] (is: [n]i64) (xs: [n]f64) =
  let f xs =
    intrinsics.hist_stream (replicate 2 [1f64, 1]) (map2 (*)) [1, 1]
                           (\(acc: *intrinsics.acc ([2][2]f64)) (i, x) ->
                              intrinsics.acc_write acc i [x, x + 1])
                           (zip is xs)
  in vjp f xs [[1, 1], [1, 1]]


-- ==
-- entry: few
-- input { 5i64 [2.0, 3.0] } output { [1.0, 2.0] [1.0, 2.0] }
-- input { 2i64 [2.0, 3.0] } output { [1.0, 2.0] [1.0, 2.0] }
-- input { 7i64 [2.0, 3.0] } output { [16.0, 66.0] [16.0, 66.0] }

-- A loop may have no iterations. The other gradient is made of tangents, of which one is asked for at a time.
entry few [n] (m: i64) (xs: [n]f64) =
  let k = m - 5
  let f xs =
    intrinsics.hist_stream (replicate 3 1f64) (*) 1
                           (\(acc: *intrinsics.acc ([3]f64)) (i, x) ->
                              let acc = intrinsics.acc_write acc i x
                              in loop acc for j < k do intrinsics.acc_write acc i (x + f64.i64 j))
                           (zip (iota n) xs)
  let sum xs = f64.sum (map2 (*) (f xs) [1, 2, 3])
  in (vjp f xs [1, 2, 3], map (\i -> jvp sum xs (tabulate n (\j -> f64.bool (i == j)))) (iota n))

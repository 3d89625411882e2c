-- Every kind of parallel operator, with results of every kind: what several threads write must not meet.
-- ==
-- entry: maps sums scans scattered histogram kept nested rows updated chunked
-- random input { [1000]i32 } auto output
-- input { empty([0]i32) } auto output
-- input { [7] } auto output

-- ==
-- entry: out_of_range
-- input { [0, 1, 2, 3] } output { [0, 1, 2, 3] }
-- input { [0, 1, 2, 3, 4, 5, 6, -7, 8, 9] } error: out of bounds

-- ==
-- entry: recursive
-- input { 6i64 } output { 19i64 }
-- input { 0i64 } output { 1i64 }

entry maps (xs: []i32) = unzip3 (map (\x -> (x + 1, i64.i32 x * 2, x > 0)) xs)

entry sums (xs: []i32) =
  (i32.sum xs, i32.maximum xs, reduce_comm (\(a, b) (c, d) -> (a * c, b + d)) (1, 0) (zip xs xs))

entry scans (xs: []i32) = (scan (+) 0 xs, scan i32.max i32.lowest (map (^ 5) xs))

entry scattered [n] (xs: [n]i32) =
  let is = map (\i -> if i % 3 == 0 then -1 else n - 1 - i) (iota n)
  in scatter (replicate n 0) is xs

entry histogram (xs: []i32) =
  let bins = map (\x -> i64.i32 (x % 10)) xs
  in (hist (+) 0 10 bins xs, hist i32.max i32.lowest 300 bins xs)

entry kept (xs: []i32) = (filter (> 0) xs, partition (\x -> x % 2 == 0) xs)

entry nested [n] (xs: [n]i32) =
  map (\i -> i32.sum (map (\j -> xs[i] * i32.i64 (j % 7)) (iota (i % 50)))) (iota n)

entry rows [n] (xs: [n]i32) =
  let m = map (\x -> scan (+) 0 (map (i32.i64 >-> (+ x)) (iota 20))) xs
  in (transpose m, map i32.sum (transpose m))

entry updated [n] (xs: [n]i32) =
  let step (a: *[20]i32) (k: i64) = a with [k % 20] = a[(k + 1) % 20] + i32.i64 k
  in map (\x -> loop a = replicate 20 x for k < 30 do step a k) xs

entry chunked (xs: []i32) =
  let sorted = loop ys = copy xs for _k < 3 do map2 i32.max ys (rotate 1 ys)
  in (sorted, map i64.i32 sorted |> reduce (+) 0)

entry out_of_range (is: []i32) = map (\i -> is[i]) is

def paths (n: i64) : i64 =
  if n < 2 then 1 else i64.sum (map (\i -> paths i) (iota (n - 1))) + paths (n - 2)

entry recursive (n: i64) = paths n

-- A scan in one chunk reads no totals of chunks, which it has not computed.
-- ==
-- entry: parities
-- input { 0i64 } output { empty([0]bool) }
-- input { 6i64 } output { [false, false, false, false, true, false] }
entry parities (n: i64) : []bool = scan (!=) false (map (> 3) (iota n))

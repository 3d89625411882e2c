-- Functions that are not inlined, and have operators, are called where one thread goes from position to position.

#[noinline] def f (n: i64) (x: i64) = i64.sum (map (+ x) (iota n))

-- ==
-- entry: in_a_scan
-- input { 10i64 [1i64, 2i64, 3i64] } output { [2000i64, 2200i64, 2400i64] }
entry in_a_scan (n: i64) (xs: []i64) =
  map (\x -> scan (+) 0 (map (\y -> f n (x + y)) (iota n)) |> map (* 2) |> i64.maximum) xs

-- ==
-- entry: in_a_scan_of_rows
-- input { [[1i64, 2i64], [3i64, 4i64]] } output { [[6i64, 10i64], [20i64, 28i64]] }
entry in_a_scan_of_rows [n] (xs: [n][n]i64) =
  scan (map2 (+)) (replicate n 0) (map (\r -> map (f n) r) xs) |> map (map (* 2))

-- ==
-- entry: in_a_loop
-- input { [1f32, 5f32] } output { [3f32, 11f32] }
entry in_a_loop [n] (xs: [n]f32) =
  map (\x -> loop s = 0f32 for _i < 2 do s + f32.i64 (f n (i64.f32 x)) / f32.i64 n) xs

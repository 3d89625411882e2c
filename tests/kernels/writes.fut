-- Histograms by instructions, by locks and of rows, scatters, filters, partitions, accumulators.
-- ==
-- entry: counts
-- input { [1, 2, 1, 11, -1] } output { [0, 2, 1, 0, 0, 0, 0, 0, 0, 0] }
-- random input { [10000]i32 } auto output
-- entry: farthest
-- random input { [2000]i32 } auto output
-- entry: rows
-- random input { [500]i32 [500][7]i32 } auto output
-- entry: kept
-- random input { [9000]i32 } auto output
-- input { empty([0]i32) } output { empty([0]i32) }
-- entry: split
-- random input { [3000]i32 } auto output
-- entry: reversed
-- random input { [1000]i32 } auto output

entry counts [n] (is: [n]i32) = hist (+) 0 10 (map i64.i32 is) (replicate n 1i32)

entry farthest [n] (xs: [n]i32) =
  let far (a: i32, i: i64) (b, j) = if a < b || (a == b && j < i) then (b, j) else (a, i)
  in unzip (reduce_by_index (replicate 7 (i32.lowest, i64.highest)) far (i32.lowest, i64.highest)
                            (map (\x -> i64.i32 (x %% 8)) xs) (zip xs (iota n)))

entry rows [n] [m] (is: [n]i32) (xss: [n][m]i32) =
  reduce_by_index (replicate 5 (replicate m 0)) (map2 (+)) (replicate m 0) (map (\i -> i64.i32 (i %% 6)) is) xss

entry kept [n] (xs: [n]i32) = filter (\x -> x % 3 == 0) xs
entry split [n] (xs: [n]i32) = partition (> 0) xs
entry reversed [n] (xs: [n]i32) = scatter (replicate n 0) (map (\i -> n - 1 - i) (iota n)) xs

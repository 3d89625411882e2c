-- Sums, with arguments of several kinds.
-- ==
-- entry: sum sum_in_parts
-- input { [1, 2, 3] } output { 6 }
-- "none" input { empty([0]i32) } output { 0 }
-- random input { [100]i32 }

entry sum (xs: []i32) : i32 = reduce (+) 0 xs

entry sum_in_parts (xs: []i32) : i32 =
  let half = length xs / 2
  in reduce (+) 0 xs[:half] + reduce (+) 0 xs[half:]

-- ==
-- entry: mean
-- input { [1.0, 2.0, 6.0] } output { 3.0 }
-- input { [f64.inf, 1.0] } output { f64.inf }

entry mean [n] (xs: [n]f64) : f64 = reduce (+) 0 xs / f64.i64 n

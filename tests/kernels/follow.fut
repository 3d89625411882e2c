-- Maps and scatters of what scans make: in one kernel with the scan, whatever else needs the scan's results.
-- ==
-- entry: shifted with_others with_plain needed twice
-- random input { [0]i32 } auto output
-- random input { [1]i32 } auto output
-- random input { [1000]i32 } auto output
-- random input { [70000]i32 } auto output
-- entry: filtered filtered_pairs counted
-- input { empty([0]i32) } auto output
-- random input { [1]i32 } auto output
-- random input { [5000]i32 } auto output
-- random input { [70000]i32 } auto output
-- entry: checked
-- input { [1, 2, 3, 4] } output { [0, 1, 3, 6] }
-- input { [1, -2, 3, 4] } error: Assertion

entry shifted [n] (xs: [n]i32) = map (\s -> s * 3 - 1) (scan (+) 0 xs)

entry with_others [n] (xs: [n]i32) =
  map3 (\s x i -> s - x + i32.i64 i) (scan i32.max i32.lowest xs) xs (iota n)

entry with_plain [n] (xs: [n]i32) =
  let ys = map (% 7) xs
  in map2 (\s y -> if y == 3 then s else -y) (scan (+) 0 ys) ys

entry needed [n] (xs: [n]i32) =
  let ss = scan (+) 0 xs
  in (map (* 2) ss, if n > 0 then ss[n / 2] else 0, ss)

entry twice [n] (xs: [n]i32) =
  let (as, bs) = unzip (scan (\(a, b) (c, d) -> (a * c, b * c + d)) (1, 0) (map (\x -> (x % 3, x)) xs))
  in map2 (-) as bs

entry filtered [n] (xs: [n]i32) = filter (\x -> x % 3 == 0) xs

entry filtered_pairs [n] (xs: [n]i32) =
  unzip (filter (\(x, i) -> x > i32.i64 i) (zip xs (iota n)))

-- Writes each element where the number of those before it with the same last digit says.
entry counted [n] (xs: [n]i32) =
  let is = map (\s -> s - 1) (scan (+) 0 (map (\x -> i64.bool (x % 10 == 7)) xs))
  in scatter (replicate n 0i32) (map2 (\x i -> if x % 10 == 7 then i else -1) xs is) xs

entry checked [n] (xs: [n]i32) =
  map2 (\s x -> assert (x >= 0) (s - x)) (scan (+) 0 xs) xs

-- A check that fails in the operator of a reduction or scan ends the program, and no thread waits for ever for another one.
-- ==
-- entry: total prefixes rows
-- input { [1i64, 2i64, 3i64] 2i64 } error: negative exponent

def append (a: i64, n: i64) (b: i64, m: i64) : (i64, i64) = (a * 10 ** m + b, n + m)

entry total (xs: []i64) (k: i64) : i64 =
  (reduce append (0, 0) (map (\x -> (x, 1 - k)) (xs ++ replicate 5000 1))).0

entry prefixes (xs: []i64) (k: i64) : []i64 =
  map (.0) (scan append (0, 0) (map (\x -> (x, 1 - k)) (xs ++ replicate 5000 1)))

entry rows (xs: []i64) (k: i64) : []i64 =
  map (\i -> (reduce append (0, 0) (map (\x -> (x + i, 1 - k)) (xs ++ replicate 500 1))).0) (iota 10)

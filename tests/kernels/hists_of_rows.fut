-- Histograms inside of maps, of rows, in two dimensions, several at once, with checks.
-- ==
-- entry: each_row
-- random input { 5i64 [3][10000]i32 } auto output
-- random input { 5i64 [700][30]i32 } auto output
-- random input { 7000i64 [3][4000]i32 } auto output
-- random input { 5i64 [0][400]i32 } auto output
-- entry: each_row_exchanged
-- random input { 5i64 [3][10000]i32 } auto output
-- random input { 5i64 [300][300]i32 } auto output
-- random input { 5i64 [700][30]i32 } auto output
-- entry: each_row_guarded
-- random input { 5i64 [300][30]i32 } auto output
-- random input { 900i64 [3][3000]i32 } auto output
-- entry: rows
-- random input { [1000]i32 [1000][7]i32 } auto output
-- random input { [20]i32 [20][3000]i32 } auto output
-- entry: rows_exchanged
-- random input { [1000]i32 [1000][7]i32 } auto output
-- entry: plane
-- random input { 3i64 4i64 [30000]i32 } auto output
-- random input { 100i64 100i64 [30000]i32 } auto output
-- entry: both
-- random input { 10i64 [30000]i32 } auto output
-- random input { 5000i64 [30000]i32 } auto output
-- random input { 50000i64 [30000]i32 } auto output
-- entry: checked
-- input { 3i64 [0i64, 1i64, 2i64, 1i64] [10i64, 20i64, 30i64] } output { [10i64, 40i64, 30i64] }
-- input { 3i64 [0i64, 1i64, 3i64, 1i64] [10i64, 20i64, 30i64] } error: out of bounds
-- entry: checked_many
-- input { 1009i64 } output { 5038i64 }
-- input { 1008i64 } error: out of bounds

def at [n] (k: i64) (is: [n]i32): [n]i64 = map (\i -> i64.i32 i %% (k + 2) - 1) is

def far a b = if i32.abs a < i32.abs b || (i32.abs a == i32.abs b && a < b) then b else a

entry each_row [m] [n] (k: i64) (xss: [m][n]i32) =
  #[incremental_flattening(only_inner)] map (\xs -> hist (+) 0 k (at k xs) xs) xss
entry each_row_exchanged [m] [n] (k: i64) (xss: [m][n]i32) =
  #[incremental_flattening(only_inner)] map (\xs -> hist far 0 k (at k xs) xs) xss

entry each_row_guarded [m] [n] (k: i64) (xss: [m][n]i32) =
  let most (a: i32, i: i64) (b, j) = if a < b || (a == b && j < i) then (b, j) else (a, i)
  in unzip (map unzip (#[incremental_flattening(only_inner)]
                       map (\xs -> hist most (i32.lowest, i64.highest) k (at k xs) (zip xs (iota n))) xss))

entry rows [n] [m] (is: [n]i32) (xss: [n][m]i32) =
  hist (map2 (+)) (replicate m 0) 5 (at 5 is) xss
entry rows_exchanged [n] [m] (is: [n]i32) (xss: [n][m]i32) =
  hist (map2 far) (replicate m 0) 5 (at 5 is) xss

entry plane [n] (k: i64) (l: i64) (xs: [n]i32) =
  reduce_by_index_2d (replicate k (replicate l 1)) (+) 0
                     (map (\x -> (i64.i32 x %% (k + 1), i64.i32 (x / 1000) %% (l + 2) - 1)) xs) xs

entry both [n] (k: i64) (xs: [n]i32) =
  let is = at k xs
  in (hist (+) 0 k is xs, hist far 0 k is xs, hist i64.max 0 k is (iota n))

entry checked [n] [m] (k: i64) (is: [n]i64) (xs: [m]i64) = hist (+) 0 k is (map (\i -> xs[i]) is)

entry checked_many (n: i64) =
  let is = map (\i -> i * i * 7 % 1009) (iota 3000)
  let xs = scatter (replicate n 0) (iota n) (iota n)
  in i64.sum (hist i64.max 0 5 (map (% 7) (iota 3000)) (map (\i -> xs[i]) is))

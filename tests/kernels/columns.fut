-- Reductions of the columns of matrices that are large enough to be reduced in parts, and of some that are not.
-- ==
-- entry: sums
-- random input { [1031][1100]i32 } auto output
-- random input { [70000][33]i32 } auto output
-- random input { [100][1100]i32 } auto output
-- random input { [200000][7]i32 } auto output

entry sums [n] [m] (a: [n][m]i32) = map i32.sum (transpose a)

-- ==
-- entry: weighted
-- random input { [2000][700]i32 [2000]i32 [700]i32 } auto output

-- What belongs to a row, and what belongs to a column.
entry weighted [n] [m] (a: [n][m]i32) (rows: [n]i32) (columns: [m]i32) =
  map2 (\column c -> i32.sum (map2 (\x r -> (x - c) * r) column rows)) (transpose a) columns

-- ==
-- entry: of_each
-- random input { [3][1500][300]i32 [1500][300]i32 } auto output

-- Two results of each column, in several matrices, one of which is the same for all.
entry of_each [k] [n] [m] (as: [k][n][m]i32) (b: [n][m]i32) =
  map (\a -> map2 (\x y -> (i32.sum (map2 (*) x y), i32.maximum x)) (transpose a) (transpose b) |> unzip) as |> unzip

-- ==
-- entry: where
-- random input { [3001][400]i32 } auto output

-- The first of the largest numbers: the parts have an order.
entry where [n] [m] (a: [n][m]i32) =
  let larger (x, i) (y, j) = if x % 1000 >= y % 1000 then (x, i) else (y, j)
  in map (\column -> reduce larger (-1000i32, -1) (zip column (iota n))) (transpose a) |> unzip

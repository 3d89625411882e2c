-- Rows that are reshaped where they are no views: a thread copies what it reads.
-- ==
-- entry: turned
-- random input { [3][5][7]i32 2 } auto output

-- A sum over all elements of a transposed matrix, and their prefix sums.
entry turned [n] [h] [w] (as: [n][h][w]i32) (b: i32) =
  (map (\a -> i32.sum (map (* b) (flatten (transpose a)))) as, map (\a -> scan (+) 0 (flatten (transpose a))) as)

-- ==
-- entry: windows
-- random input { [12][11]i32 } auto output

entry windows [h] [w] (a: [h][w]i32) = tabulate_2d (h - 8) (w - 8) (\i j -> i32.sum (flatten a[i:i + 9, j:j + 9]))

-- ==
-- entry: halves
-- random input { [3][6][8]i32 2 } auto output

entry halves [n] [h] [w] (as: [n][h][w]i32) (b: i32) =
  map (\a -> (i32.sum (map (* b) (flatten a[:h / 2, :w / 2])), i32.maximum (flatten a[:h / 2, :w / 2]))) as

-- Histograms and scatters ignore what is out of bounds.
-- ==
-- entry: histograms
-- input { [0i64, 2i64, 0i64, -1i64, 3i64, 2i64] [1, 2, 3, 4, 5, 6] }
-- output { [4, 0, 8] [104, 100, 108] [3, 0, 6] }
-- input { empty([0]i64) empty([0]i32) } output { [0, 0, 0] [100, 100, 100] [0, 0, 0] }

-- ==
-- entry: histograms_nd
-- input { [0i64, 1i64, 1i64, 2i64, 0i64] [1i64, 0i64, 0i64, 0i64, -1i64] }
-- output { [[0, 1], [2, 0]] [[[0, 0], [1, 0]], [[0, 2], [0, 0]]] }

-- ==
-- entry: scatters
-- input { [3i64, 0i64, 4i64, -1i64] [10, 20, 30, 40] } output { [20, 1, 2, 10] [20, 7, 7, 10] }

-- ==
-- entry: scatters_nd
-- input { [1i64, 0i64, 0i64] [0i64, 1i64, 2i64] [5, 6, 7] }
-- output { [[0, 6], [5, 0]] [[[0, 0], [0, 6]], [[5, 0], [0, 0]]] }

-- ==
-- entry: scatter_rows
-- input { [2i64, 0i64] } output { [[2, 2], [0, 0], [1, 1]] }

entry histograms [n] (is: [n]i64) (xs: [n]i32) : ([]i32, []i32, []i32) =
  ( hist (+) 0 3 is xs
  , reduce_by_index (replicate 3 100) (+) 0 is xs
  , hist i32.max 0 3 is xs
  )

entry histograms_nd [n] (is: [n]i64) (js: [n]i64) : ([][]i32, [][][]i32) =
  ( reduce_by_index_2d (replicate 2 (replicate 2 0)) (+) 0 (zip is js) (replicate n 1)
  , reduce_by_index_3d (replicate 2 (replicate 2 (replicate 2 0))) (+) 0 (zip3 is js is) (replicate n 1)
  )

entry scatters [n] (is: [n]i64) (xs: [n]i32) : ([]i32, []i32) =
  (scatter [0, 1, 2, 3] is xs, spread 4 7 is xs)

entry scatters_nd [n] (is: [n]i64) (js: [n]i64) (xs: [n]i32) : ([][]i32, [][][]i32) =
  ( scatter_2d (replicate 2 (replicate 2 0)) (zip is js) xs
  , scatter_3d (replicate 2 (replicate 2 (replicate 2 0))) (zip3 is js js) xs
  )

entry scatter_rows (is: [2]i64) : [][]i32 =
  scatter (replicate 3 [0, 0]) is [[1, 1], [2, 2]]

-- Views by strides: blocks, diagonals, windows that overlap; and what is refused.
-- ==
-- entry: block
-- input { 1i64 2i64 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } output { [[6, 7], [10, 11]] [0, 1, 2, 3, 4, 5, 60, 70, 8, 9, 100, 110] }
-- input { 2i64 2i64 [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11] } error: out of bounds

-- ==
-- entry: diagonals
-- input { 2i64 [1, 2, 3, 4, 5, 6, 7, 8, 9] } output { [[7, 5, 3], [8, 6, 4]] }

-- ==
-- entry: windows
-- input { 3i64 [1, 2, 3, 4, 5] } output { [[1, 2, 3], [2, 3, 4], [3, 4, 5]] }

-- ==
-- entry: turned
-- input { [1, 2, 3, 4, 5, 6, 7, 8] } output { [8, 6, 4, 2, 7, 5, 3, 1] }

-- ==
-- entry: stored
-- input { 2i64 1i64 [[1, 2], [3, 4]] } output { [1, 2, 3, 4, 0, 0, 0, 0] }
-- input { 1i64 2i64 [[1, 2], [3, 4]] } output { [1, 3, 2, 4, 0, 0, 0, 0] }
-- input { 1i64 1i64 [[1, 2], [3, 4]] } error: places_are_distinct
-- input { 0i64 1i64 [[1, 2], [3, 4]] } error: places_are_distinct
-- input { 0i64 1i64 [[1, 2]] } output { [1, 2, 0, 0, 0, 0, 0, 0] }
-- input { 2i64 3i64 [[1, 2], [3, 4], [5, 6]] } output { [1, 0, 3, 2, 5, 4, 0, 6] }
-- input { 2i64 4i64 [[1, 2], [3, 4], [5, 6]] } error: places_are_distinct
-- input { 1i64 1i64 empty([0][2]i32) } output { [0, 0, 0, 0, 0, 0, 0, 0] }

entry block (i: i64) (j: i64) (a: *[12]i32) : ([][]i32, []i32) =
  let tile = copy (view.get_2d a (4 * i + j) 2 4 2 1)
  in (tile, view.set_2d a (4 * i + j) 4 1 (map (map (* 10)) tile))

entry diagonals (n: i64) (a: [9]i32) : [][]i32 = view.get_2d a 6 n 1 3 (-2)

entry windows [n] (k: i64) (xs: [n]i32) : [][]i32 = view.get_2d xs 0 (n - k + 1) 1 k 1

entry turned (xs: [8]i32) : []i32 = flatten (flatten (view.get_3d xs 7 2 (-1) 2 (-4) 2 (-2)))

entry stored [n] [m] (s1: i64) (s2: i64) (vs: [n][m]i32) : []i32 =
  view.set_2d (replicate 8 0) 0 s1 s2 vs

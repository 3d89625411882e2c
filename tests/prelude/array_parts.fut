-- Parts of arrays, and what happens at their ends.
-- ==
-- entry: sizes
-- input { [4, 5, 6] } output { 3i64 false }
-- input { empty([0]i32) } output { 0i64 true }

-- ==
-- entry: ends
-- input { [4, 5, 6] } output { 4 6 [5, 6] [4, 5] }
-- input { [7] } output { 7 7 empty([0]i32) empty([0]i32) }
-- input { empty([0]i32) } error: out of bounds

-- ==
-- entry: taking
-- input { 2i64 [4, 5, 6] } output { [4, 5] [6] }
-- input { 0i64 [4, 5, 6] } output { empty([0]i32) [4, 5, 6] }
-- input { 3i64 [4, 5, 6] } output { [4, 5, 6] empty([0]i32) }
-- input { 4i64 [4, 5, 6] } error: out of bounds
-- input { -1i64 [4, 5, 6] } error: out of bounds

-- ==
-- entry: halves
-- input { [1, 2, 3, 4] [10, 20] } output { [10, 20, 1, 2] [3, 4] }

-- ==
-- entry: order
-- input { [1, 2, 3, 4] } output { [4, 3, 2, 1] [2, 3, 4, 1] [4, 1, 2, 3] [3, 4, 1, 2] [1, 2, 3, 4] }
-- input { empty([0]i32) }
-- output { empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) empty([0]i32) }

-- ==
-- entry: rotate_rows
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[3, 4], [5, 6], [1, 2]] [[2, 1], [4, 3], [6, 5]] }

entry sizes [n] (xs: [n]i32) : (i64, bool) = (length xs, null xs)

entry ends [n] (xs: [n]i32) : (i32, i32, []i32, []i32) = (head xs, last xs, tail xs, init xs)

entry taking (i: i64) (xs: []i32) : ([]i32, []i32) = (take i xs, drop i xs)

entry halves [n] [m] (xs: [n]i32) (ys: [m]i32) : ([n]i32, [m]i32) =
  let (front, back) = split (sized (n + m) (ys ++ xs))
  in (front, back)

entry order [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32, [n]i32, [n]i32) =
  (reverse xs, rotate 1 xs, rotate (-1) xs, rotate 10 xs, rotate (-8) xs)

entry rotate_rows [n] [m] (xss: [n][m]i32) : ([n][m]i32, [n][m]i32) =
  (rotate 1 xss, map (rotate 1) xss)

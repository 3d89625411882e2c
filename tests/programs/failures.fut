-- What goes wrong at run time is said with the place.
-- ==
-- input { [1, 2] 1i64 } output { 2 }
-- input { [1, 2] 2i64 } error: out of bounds
-- input { [1, 2] -1i64 } error: failures.fut:7

entry main (xs: []i32) (i: i64) : i32 = xs[i]

-- ==
-- entry: checked
-- input { 1 } output { 1 }
-- input { 0 }
-- error:

entry checked (x: i32) : i32 = assert (x > 0) x

-- ==
-- entry: same_size
-- input { [1] [2] } output { [3] }
-- input { [1] [2, 3] } error: invalid sizes

entry same_size [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys

-- ==
-- entry: row_outside
-- input { [[1i64, 2i64, 3i64, 4i64]] 0i64 7i64 } output { [[0i64, 7i64, 14i64, 21i64]] }
-- input { [[1i64, 2i64, 3i64, 4i64]] 1000000000i64 7i64 } error: out of bounds
-- input { [[1i64, 2i64, 3i64, 4i64]] -1000000000i64 7i64 } error: out of bounds

-- The row is not made in the array before the check of the index.
entry row_outside [n] (xs: *[n][4]i64) (i: i64) (k: i64) : [n][4]i64 =
  let row = map (\j -> j * k) (iota 4)
  in xs with [i] = row

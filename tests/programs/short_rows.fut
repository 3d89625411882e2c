-- Rows of any length, also of one that is shorter than a vector: sums, counts, and prefix sums of the same number.
-- ==
-- entry: sums
-- input { [[1i8], [2i8], [3i8], [4i8], [5i8]] } output { [1i8, 2i8, 3i8, 4i8, 5i8] [0i64, 0i64, 0i64, 0i64, 0i64] }
-- input { [[1i8, 2i8, -3i8], [100i8, 100i8, 1i8]] } output { [0i8, -55i8] [1i64, 0i64] }
-- input { [[-1i8, 2i8, -3i8, 4i8, -5i8, 6i8, -7i8, 8i8, -9i8, 10i8, -11i8, 12i8, -13i8, 14i8, -15i8, 16i8, -17i8]] }
-- output { [-9i8] [9i64] }
-- input { empty([2][0]i8) } output { [0i8, 0i8] [0i64, 0i64] }
entry sums (xss: [][]i8): ([]i8, []i64) =
  unzip (map (\xs -> (i8.sum xs, i64.sum (map (\x -> i64.bool (x < 0)) xs))) xss)

-- ==
-- entry: steps
-- input { 3i64 2i64 } output { [[0i32, 0i32], [1i32, 2i32], [2i32, 4i32]] }
-- input { 2i64 17i64 }
-- output { [[0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32, 0i32],
--           [1i32, 2i32, 3i32, 4i32, 5i32, 6i32, 7i32, 8i32, 9i32, 10i32, 11i32, 12i32, 13i32, 14i32, 15i32, 16i32, 17i32]] }
entry steps (n: i64) (m: i64): [n][m]i32 =
  map (\i -> scan (+) 0 (replicate m (i32.i64 i))) (iota n)

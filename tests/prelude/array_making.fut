-- Arrays from numbers, values and functions.
-- ==
-- entry: counting
-- input { 3i64 } output { [0i64, 1i64, 2i64] [0i64, 1i64, 2i64, 3i64] [5, 5, 5] [7, 7, 7, 7] }
-- input { 0i64 } output { empty([0]i64) [0i64] empty([0]i32) [7] }
-- input { -1i64 } error: .*

-- ==
-- entry: tables
-- input { 2i64 3i64 }
-- output { [0i64, 10i64] [[0i64, 1i64, 2i64], [10i64, 11i64, 12i64]]
--          [[[0i64, 1i64], [10i64, 11i64], [20i64, 21i64]], [[100i64, 101i64], [110i64, 111i64], [120i64, 121i64]]] }

-- ==
-- entry: joined
-- input { [1, 2] [3] } output { [1, 2, 3] [3, 1, 2] }
-- input { empty([0]i32) [3] } output { [3] [3] }

-- ==
-- entry: copied
-- input { [1, 2, 3] } output { [9, 2, 3] [8, 2, 3] [1, 2, 3] }

entry counting (n: i64) =
  let numbers: [n + 1]i64 = indices (replicate (n + 1) true)
  let sevens: [n + 1]i32 = rep 7
  in (iota n, numbers, replicate n 5i32, sevens)

entry tables (n: i64) (m: i64) =
  ( tabulate n (* 10)
  , tabulate_2d n m (\i j -> 10 * i + j)
  , tabulate_3d n m 2 (\i j k -> 100 * i + 10 * j + k)
  )

entry joined (xs: []i32) (ys: []i32) : ([]i32, []i32) = (xs ++ ys, concat ys xs)

entry copied [n] (xs: [n]i32) : ([n]i32, [n]i32, [n]i32) =
  (copy xs with [0] = 9, manifest xs with [0] = 8, xs)

-- Filters and partitions: scans that count, with tiles that are full and others.

def hash (i: i64) : i64 = (i * 7919 + 13) % 104729

-- ==
-- entry: kept
-- input { 0i64 } output { true }
-- input { 1i64 } output { true }
-- input { 8192i64 } output { true }
-- input { 8193i64 } output { true }
-- input { 50000i64 } output { true }

-- The elements are read once.
entry kept (n: i64) : bool =
  let xs = map (\i -> i32.i64 (hash i)) (iota n)
  let ys = filter (\x -> x % 3 == 0) xs
  let expected = map (\i -> i64.bool (xs[i] % 3 == 0)) (iota n)
  in length ys == i64.sum expected
     && all (\y -> y % 3 == 0) ys
     && i64.sum (map i64.i32 ys) == i64.sum (map2 (\x e -> i64.i32 x * e) xs expected)

-- ==
-- entry: in_order
-- input { 9000i64 1i64 } output { true }
-- input { 9000i64 2i64 } output { true }
-- input { 9000i64 10000i64 } output { true }

-- All, half, or only one of them.
entry in_order (n: i64) (k: i64) : bool =
  let ys = filter (\i -> i % k == 0) (iota n)
  in length ys == (n + k - 1) / k && all (\j -> ys[j] == j * k) (indices ys)

-- ==
-- entry: of_types
-- input { [1.5, -2.0, 3.25, -4.0] [true, false, false, true] [1i8, -1i8, 2i8, 3i8] }
-- output { [1.5, -4.0] [true, true] [1i8, 3i8] }
entry of_types [n] (as: [n]f64) (bs: [n]bool) (cs: [n]i8) =
  unzip3 (filter (\(_, b, c) -> b && c > 0) (zip3 as bs cs))

-- ==
-- entry: checked
-- input { [4, 2, 1, 5] [0i64, 1i64, 3i64] } output { [4, 5] }
-- input { [4, 2, 1, 5] [0i64, 4i64, 3i64] } error: Index \[4\] out of bounds

-- The function reads where it is told.
entry checked (xs: []i32) (is: []i64) : []i32 =
  map (\i -> xs[i]) (filter (\i -> xs[i] > 3) is)

-- ==
-- entry: long_function
-- input { 10i64 } output { [0i64, 1i64, 4i64, 5i64, 8i64, 9i64] }

-- The function is a loop.
entry long_function (n: i64) : []i64 =
  filter (\i -> (loop s = 0 for j < i do s + j) % 2 == 0) (iota n)

-- ==
-- entry: of_rows
-- input { 5i64 } output { [[0i64, 1i64, 2i64], [6i64, 7i64, 8i64], [12i64, 13i64, 14i64]] }
entry of_rows (n: i64) : [][3]i64 =
  filter (\row -> row[0] % 2 == 0) (tabulate_2d n 3 (\i j -> i * 3 + j))

-- ==
-- entry: classes
-- input { 9000i64 } output { true }
-- input { 8191i64 } output { true }
entry classes (n: i64) : bool =
  let (as, bs, cs) = partition2 (\i -> hash i % 4 == 0) (\i -> hash i % 4 == 1) (iota n)
  let rising [m] (xs: [m]i64) = all (\i -> i == 0 || xs[i - 1] < xs[i]) (iota m)
  in rising as
     && rising bs
     && rising cs
     && all (\i -> hash i % 4 == 0) as
     && all (\i -> hash i % 4 == 1) bs
     && all (\i -> hash i % 4 > 1) cs
     && length as + length bs + length cs == n

-- ==
-- entry: ranks
-- input { [true, false, true, true, false] } output { [1i64, 1i64, 2i64, 3i64, 3i64] [10i64, 11i64, 30i64, 40i64, 41i64] }

-- The counts are a result, too, and so is something that is computed with them.
entry ranks [n] (flags: [n]bool) : ([n]i64, [n]i64) =
  let counts = scan (+) 0 (map i64.bool flags)
  in (counts, map2 (\i c -> if flags[i] then i * 10 + 10 else i * 10 + c * 0 + 1) (iota n) counts)

-- ==
-- entry: long_classes
-- input { 10i64 } output { [0i64, 1i64, 4i64, 5i64, 8i64, 9i64] [2i64, 3i64, 6i64, 7i64] }

-- A long function is not executed twice.
entry long_classes (n: i64) : ([]i64, []i64) =
  let (as, bs) = partition (\i -> (loop s = 0 for j < i do s + j) % 2 == 0) (iota n)
  in (as, bs)

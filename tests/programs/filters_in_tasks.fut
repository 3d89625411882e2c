-- Filters and partitions: their functions are evaluated once, and counting makes no array.

-- ==
-- entry: positive
-- input { empty([0]i32) } output { empty([0]i32) }
-- input { [1, -2, 3, 0, 5, -6] } output { [1, 3, 5] }
entry positive (xs: []i32) : []i32 = filter (> 0) xs

-- ==
-- entry: thirds
-- input { 0i64 } output { 0i64 0i64 0i64 }
-- input { 10i64 } output { 4i64 18i64 27i64 }
-- input { 5000i64 } output { 1667i64 4165833i64 8331667i64 }
-- compiled input { 100000i64 } output { 33334i64 1666683333i64 3333266667i64 }
entry thirds (n: i64) =
  let (zero, rest) = partition (\i -> i % 3 == 0) (iota n)
  let (one, two) = partition (\i -> i % 3 == 1) rest
  in (length zero, i64.sum zero, i64.sum one + i64.sum two)

-- ==
-- entry: order
-- input { 1i64 } output { true }
-- input { 5000i64 } output { true }
-- compiled input { 300000i64 } output { true }

-- The order of elements stays, in all classes.
entry order (n: i64) : bool =
  let hash (i: i64) = (i * 7919) % 104729
  let (a, b, c) = partition2 (\i -> hash i % 5 < 2) (\i -> hash i % 5 == 2) (iota n)
  let rising [k] (xs: [k]i64) = all (\i -> i == 0 || xs[i - 1] < xs[i]) (iota k)
  in rising a && rising b && rising c
     && all (\i -> hash i % 5 < 2) a
     && all (\i -> hash i % 5 == 2) b
     && all (\i -> hash i % 5 > 2) c
     && length a + length b + length c == n

-- ==
-- entry: pairs
-- input { 6i64 } output { [1i64, 3i64, 5i64] [1.0, 9.0, 25.0] }
entry pairs (n: i64) =
  unzip (filter (\(i, _) -> i % 2 == 1) (map (\i -> (i, f64.i64 (i * i))) (iota n)))

-- ==
-- entry: rows
-- input { 4i64 3i64 } output { [[0i64, 1i64, 2i64], [6i64, 7i64, 8i64]] }
-- input { 2i64 0i64 } output { empty([0][0]i64) }

-- Rows are kept if their sum is odd.
entry rows (n: i64) (m: i64) : [][m]i64 =
  filter (\row -> i64.sum row % 2 == 1) (tabulate_2d n m (\i j -> i * m + j))

-- ==
-- entry: counts
-- input { [3, -1, 4, -1, 5] } output { 3i64 2i64 }
entry counts (xs: []i32) : (i64, i64) =
  (length (filter (> 0) xs), length (filter (< 0) xs))

-- ==
-- entry: inside
-- input { 5i64 } output { [0i64, 1i64, 1i64, 2i64, 2i64] }

-- Filters inside of a map.
entry inside (n: i64) : [n]i64 =
  map (\i -> length (filter (\j -> j % 2 == 1) (iota (i + 1))) + i64.sum (filter (> 100) (iota i))) (iota n)

-- ==
-- entry: fails
-- input { [1, 2, 3, 4] 4 } output { [1, 2] }
-- input { [1, 2, 0, 4] 4 } error: division

-- A check in the function of a filter.
entry fails (xs: []i32) (k: i32) : []i32 = filter (\x -> k / x > 1) xs

-- Arrays whose sizes change from one iteration to the next, or from one position to another.
-- ==
-- entry: grows
-- input { 5i64 } output { 49i64 }
-- input { 0i64 } output { 0i64 }
-- input { -3i64 } output { 0i64 }
-- entry: shrinks
-- input { 5i64 } output { 73i64 }
-- entry: both_at_once
-- input { 4i64 } output { 42i64 }
-- entry: appended
-- input { 4i64 } output { [1i64, 4i64, 9i64, 12i64, 4i64] }
-- input { -1i64 } output { [1i64] }
-- entry: doubled
-- input { 5i64 } output { [1i64, 3i64, 4i64, 5i64, 1i64, 2i64, 1i64, 1i64] }
-- entry: nested
-- input { 4i64 } output { 51i64 }
-- entry: sometimes
-- input { 6i64 2i64 } output { 22i64 }
-- entry: until_it_fails
-- input { 3i64 [1i64, 2i64, 3i64] } output { 18i64 }
-- input { 4i64 [1i64, 2i64, 3i64] } error: out of bounds

-- ==
-- entry: at_each_position
-- input { 4i64 [1i64, 2i64, 3i64] } output { [44i64, 60i64, 76i64] }
-- input { -4i64 [1i64, 2i64, 3i64] } output { [0i64, 0i64, 0i64] }
-- entry: triangle
-- input { 5i64 3i64 } output { [1i64, 2i64, 8i64, 11i64, 20i64] }
-- entry: read
-- input { [0i64, 3i64, 1i64] [1i64, 2i64] } output { [0i64, 15i64, 2i64] }

-- Something with an array of this size that is not fused away.
def work (k: i64) (x: i64): i64 =
  let xs = scan (+) 0 (tabulate k (\j -> j + x))
  let ys = scatter (replicate k 0) (map (\j -> k - 1 - j) (iota k)) xs
  in ys[k / 2] + ys[0]

entry grows (n: i64): i64 = loop s = 0 for i < n do s + work (i + 1) 1
entry shrinks (n: i64): i64 = loop s = 0 for i < n do s + work (n - i) 2
entry both_at_once (n: i64): i64 =
  loop s = 0 for i < n do s + work (2 * i + 1) 1 - work (n - i) 1

entry appended (n: i64): []i64 =
  loop xs = [1] for i < n do scan (+) 0 xs ++ [i + 1]

entry doubled (n: i64): []i64 =
  loop xs = [1] while length xs < n do scan (+) 0 xs ++ xs

entry nested (n: i64): i64 =
  loop s = 0 for i < n do loop t = s for j < i + 1 do t + work (j + 1) 1

entry sometimes (n: i64) (m: i64): i64 =
  loop s = 0 for i < n do if i < m then s + work (i + 3) 1 else s

-- Not all iterations happen.
entry until_it_fails [m] (n: i64) (xs: [m]i64): i64 =
  loop s = 0 for i < n do s + work (i + 1) (xs[i] - 1)

entry at_each_position [m] (n: i64) (xs: [m]i64): [m]i64 =
  map (\x -> loop s = 0 for i < n do s + work (i + 1) (x + 1)) xs

entry triangle (n: i64) (m: i64): [n]i64 =
  tabulate n (\i -> loop s = 0 for j < m do s + work (i + 1) j / (j + 2))

-- Only the iteration knows.
entry read [m] [k] (sizes: [m]i64) (xs: [k]i64): [m]i64 =
  map (\n -> loop s = 0 for i < n do s + work (i + 1) (xs[0])) sizes

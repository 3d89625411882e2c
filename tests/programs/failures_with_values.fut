-- What goes wrong at run time is said with the values that made it wrong, in the same words everywhere.

-- Ranges as they were written.
-- ==
-- entry: up
-- input { 5i64 1i64 } error: Range 5\.\.<1 is invalid\.
-- input { 1i64 3i64 } output { [1i64, 2i64] }
entry up (a: i64) (b: i64) : []i64 = a..<b

-- ==
-- entry: down
-- input { 1i64 5i64 } error: Range 1\.\.>5 is invalid\.
entry down (a: i64) (b: i64) : []i64 = a..>b

-- ==
-- entry: inclusive
-- input { 5i8 1i8 } error: Range 5\.\.\.1 is invalid\.
entry inclusive (a: i8) (b: i8) : []i8 = a...b

-- ==
-- entry: steps
-- input { 5i64 4i64 9i64 } error: Range 5\.\.4\.\.<9 is invalid\.
-- input { 5i64 5i64 9i64 } error: Range 5\.\.5\.\.<9 is invalid\.
entry steps (a: i64) (b: i64) (c: i64) : []i64 = a..b..<c

-- ==
-- entry: counted
-- input { -3i64 } error: Range 0\.\.1\.\.<-3 is invalid\.
entry counted (n: i64) : i64 = i64.sum (iota n)

-- ==
-- entry: table
-- input { -3i64 } error: Range 0\.\.1\.\.<-3 is invalid\.
entry table (n: i64) : [2][n]i64 = tabulate_2d 2 n (\i j -> i + j)

-- Shapes in numbers, and as they were written.
-- ==
-- entry: sized_by
-- input { 4i64 [1, 2, 3] } error: shape \[3\] cannot match shape of type "\[4\]i32"\. The type is written "\[m\]i32"\.
-- input { 3i64 [1, 2, 3] } output { [1, 2, 3] }
entry sized_by [n] (m: i64) (xs: [n]i32) : [m]i32 = xs :> [m]i32

-- ==
-- entry: sized_by_sum
-- input { 4i64 [1, 2, 3] } error: shape \[3\] cannot match shape of type "\[5\]i32"\. The type is written "\[m \+ 1\]i32"\.
entry sized_by_sum [n] (m: i64) (xs: [n]i32) : []i32 = xs :> [m + 1]i32

-- ==
-- entry: square
-- input { [[1, 2, 3]] } error: shape \[1\]\[3\] cannot match shape of type "\[2\]\[2\]i32"\.
entry square [n] [m] (xs: [n][m]i32) : [2][2]i32 = xs :> [2][2]i32

-- ==
-- entry: pair
-- input { [1, 2, 3] [1, 2] } error: shape \[3\], \[2\] cannot match shape of type "\(\[3\]i32, \[4\]i32\)"\.
entry pair [n] [m] (xs: [n]i32) (ys: [m]i32) : i32 =
  let (a, b) = (xs, ys) :> ([3]i32, [4]i32)
  in a[0] + b[0]

-- ==
-- entry: product
-- input { 2i64 2i64 [1, 2, 3] } error: shape \[3\] cannot match shape of type "\[4\]i32"\.
-- input { 2i64 2i64 [1, 2, 3, 4] } output { [[1, 2], [3, 4]] }
entry product [n] (a: i64) (b: i64) (xs: [n]i32) : [a][b]i32 = unflatten (xs :> [a * b]i32)

-- ==
-- entry: generic
-- input { 3i64 [1i64, 2i64] } error: shape \[2\] cannot match shape of type "\[3\]i64"\.
entry generic (k: i64) (xs: []i64) : [k]i64 = sized k xs

-- ==
-- entry: first
-- input { 7i64 [1, 2, 3] } error: Index \[0:7\] out of bounds for array of shape \[3\]\.
entry first (k: i64) (xs: []i32) : []i32 = take k xs

-- Numbers.
-- ==
-- entry: power
-- input { 2 -1 } error: negative exponent: -1
-- input { 2 3 } output { 8 }
entry power (x: i32) (y: i32) : i32 = x ** y

-- ==
-- entry: inverse
-- input { 2i64 } error: negative exponent: -1
entry inverse (x: i64) : i64 = x ** (-1)

-- ==
-- entry: remainder
-- input { 2i64 0i64 } error: division by zero
entry remainder (x: i64) (y: i64) : i64 = x % y

-- What was claimed, as it was written.
-- ==
-- entry: claimed
-- input { 2 } error: Assertion is false: \(x > 3\)
entry claimed (x: i32) : i32 = assert (x > 3) x

-- ==
-- entry: missing
-- input { 2 } error: Reached hole of type: i32
entry missing (x: i32) : i32 = if x > 3 then x else ???

-- ==
-- entry: same_size
-- input { [1] [2, 3] } error: entry point arguments have invalid sizes: dimension 0 of argument 2 \("ys"\) of "same_size" is 2, but should be "n", which is 1
entry same_size [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys

-- ==
-- entry: same_size_after_a_pair
-- input { 1 2 [1] [2, 3] } error: dimension 0 of argument 3 \("ys"\) of "same_size_after_a_pair" is 2
entry same_size_after_a_pair [n] (_: (i32, i32)) (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys

-- ==
-- entry: given_size
-- input { 2i64 [2, 3, 4] } error: entry point arguments have invalid sizes: the argument for "n" is 2
entry given_size (n: i64) (ys: [n]i32) : [n]i32 = map (+ 1) ys

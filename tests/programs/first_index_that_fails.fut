-- The message names the first index that is out of bounds, although the check is made once, before the loop.
-- ==
-- entry: add
-- input { [1, 2, 3] 2i64 } output { 3 }
-- input { [1, 2, 3] 100i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { empty([0]i32) 100i64 } error: Index \[0\] out of bounds for array of shape \[0\]

entry add [n] (xs: [n]i32) (k: i64) : i32 =
  loop s = 0 for i < k do s + xs[i]

-- ==
-- entry: shifted
-- input { [1, 2, 3] 1i64 2i64 } output { 5 }
-- input { [1, 2, 3] 1i64 50i64 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] 7i64 50i64 } error: Index \[7\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -2i64 50i64 } error: Index \[-2\] out of bounds for array of shape \[3\]

entry shifted [n] (xs: [n]i32) (j: i64) (k: i64) : i32 =
  loop s = 0 for i < k do s + xs[i + j]

-- ==
-- entry: strided
-- input { [1, 2, 3, 4, 5] 2i64 } output { 7 }
-- input { [1, 2, 3, 4, 5] 20i64 } error: Index \[7\] out of bounds for array of shape \[5\]

entry strided [n] (xs: [n]i32) (k: i64) : i32 =
  loop s = 0 for i < k do s + xs[3 * i + 1]

-- ==
-- entry: backwards
-- input { [1, 2, 3] 2i64 } output { 5 }
-- input { [1, 2, 3] 9i64 } error: Index \[-1\] out of bounds for array of shape \[3\]

entry backwards [n] (xs: [n]i32) (k: i64) : i32 =
  loop s = 0 for i < k do s + xs[n - 1 - i]

-- ==
-- entry: matrix
-- input { [[1, 2], [3, 4]] 2i64 2i64 } output { 10 }
-- input { [[1, 2], [3, 4]] 2i64 9i64 } error: Index \[0, 2\] out of bounds for array of shape \[2\]\[2\]
-- input { [[1, 2], [3, 4]] 9i64 2i64 } error: Index \[2, 0\] out of bounds for array of shape \[2\]\[2\]
-- input { [[1, 2], [3, 4]] 9i64 9i64 } error: Index \[0, 2\] out of bounds for array of shape \[2\]\[2\]

entry matrix [n] [m] (xs: [n][m]i32) (k: i64) (l: i64) : i32 =
  loop s = 0 for i < k do
    loop s for j < l do s + xs[i, j]

-- ==
-- entry: diagonal
-- input { [1, 2, 3] 2i64 2i64 } output { 8 }
-- input { [1, 2, 3] 3i64 2i64 } error: Index \[3\] out of bounds for array of shape \[3\]

entry diagonal [n] (xs: [n]i32) (k: i64) (l: i64) : i32 =
  loop s = 0 for i < k do
    loop s for j < l do s + xs[i + j]

-- ==
-- entry: mapped
-- input { [1, 2, 3] 2i64 } output { [1, 2] }
-- input { [1, 2, 3] 5000i64 } error: Index \[3\] out of bounds for array of shape \[3\]

entry mapped [n] (xs: [n]i32) (k: i64) : []i32 =
  map (\i -> xs[i]) (iota k)

-- ==
-- entry: narrow
-- input { [1, 2, 3] 1i32 2i32 } output { 5 }
-- input { [1, 2, 3] 1i32 5i32 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] -1i32 2i32 } error: Index \[-1\] out of bounds for array of shape \[3\]

-- The index is made of numbers that are narrower than it.
entry narrow (xs: []i32) (start: i32) (count: i32) : i32 =
  loop s = 0 for i in start..<start + count do s + xs[i]

-- ==
-- entry: unsigned
-- input { [1, 2, 3] 1u16 2u16 } output { 5 }
-- input { [1, 2, 3] 1u16 5u16 } error: Index \[3\] out of bounds for array of shape \[3\]
-- input { [1, 2, 3] 65530u16 1u16 } error: Index \[65530\] out of bounds for array of shape \[3\]

entry unsigned (xs: []i32) (start: u16) (count: u16) : i32 =
  loop s = 0 for i in start..<start + count do s + xs[i64.u16 i]

-- Code that a constant makes impossible fails where it is reached, and nowhere else.
-- ==
-- entry: slice
-- input { true [1i64, 2i64, 3i64] } error: Index \[1000000:2\] out of bounds for array of shape \[3\]\.
-- input { false [1i64, 2i64, 3i64] } output { [1i64] }
entry slice (wrong: bool) (a: []i64) : [1]i64 =
  if wrong then a[1000000:2] :> [1]i64 else a[:1] :> [1]i64

-- ==
-- entry: coercion
-- input { true [1i64, 2i64, 3i64] } error: shape \[3\] cannot match shape of type "\[4\]i64"\.
-- input { false [1i64, 2i64, 3i64] } output { [0i64, 1i64, 2i64, 3i64] }
entry coercion (wrong: bool) (a: [3]i64) : [4]i64 = if wrong then a :> [4]i64 else iota 4

-- ==
-- entry: counted
-- input { true } error: shape \[3\] cannot match shape of type "\[4\]i64"\.
-- input { false } output { 6i64 }
entry counted (wrong: bool) : i64 = i64.sum (if wrong then iota 3 :> [4]i64 else iota 4)

-- ==
-- entry: negative
-- input { true } error: Range 0\.\.1\.\.<-5 is invalid\.
-- input { false } output { 0i64 }
entry negative (wrong: bool) : i64 =
  let n = -5i64
  in if wrong then i64.sum (map (* 2) (iota n) ++ replicate n 1) else 0

-- ==
-- entry: sizes_of_calls
-- input { true } error: cannot match shape of type "\[5\]i64"\.
-- input { false } output { 10i64 }
def total [n] (xs: [n]i64) (ys: [n]i64) : i64 = i64.sum (map2 (+) xs ys)
entry sizes_of_calls (wrong: bool) : i64 =
  if wrong then total (iota 5) (iota 6 :> [5]i64) else total [1, 2] [3, 4]

-- ==
-- entry: rows
-- input { true } error: out of bounds
-- input { false } output { 0i64 }
entry rows (wrong: bool) : i64 =
  let table = unflatten (iota 6 :> [2 * 3]i64)
  in if wrong then i64.sum (flatten (map (\row -> row[5:2]) table[7:9])) else table[0, 0]

-- ==
-- entry: update
-- input { true } error: out of bounds
-- input { false } output { 3i64 }
entry update (wrong: bool) : i64 =
  let xs = copy (iota 3)
  in if wrong then i64.sum (xs with [9:7] = [1, 2] :> [-2]i64) else i64.sum xs

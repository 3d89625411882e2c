-- Data beside a function is checked like any other.

-- ==
-- entry: coerced
-- input { [1, 2, 3] } output { 7 }
-- input { [1, 2] } error: cannot match shape

entry coerced (xs: []i32) : i32 =
  let (f, ys) = ((+ 1), xs) :> (i32 -> i32, [3]i32)
  in f (reduce (+) 0 ys)

-- ==
-- entry: asserted
-- input { 1 } output { 2 }
-- input { 0 } error: Assertion is false

entry asserted (x: i32) : i32 =
  let (f, y) = assert (x > 0) ((+ 1), x)
  in f y

-- Functions that consume an array, keep it, and can be called often.
-- ==
-- entry: passed
-- input { true [true, false, true] } output { [true, false, true] }

-- ==
-- entry: twice
-- input { 5 } output { 15 25 }

-- ==
-- entry: kept
-- input { 4i64 } output { [[7i64, 1i64, 2i64, 3i64], [7i64, 1i64, 2i64, 3i64]] }

def remember 'a [m] (p: a) (marks: *[m]bool) : (bool -> bool, a) =
  let marks[0] = true
  in (\b -> b && marks[0], p)

entry passed (b: bool) (bs: []bool) : []bool = map (remember b (replicate 3 b)).0 bs

def scale [m] (xs: *[m]i32) : (i32 -> i32) =
  let xs[1] = 5
  in \x -> x * xs[1] + xs[0]

entry twice (x: i32) : (i32, i32) =
  let f = scale (replicate 3 x)
  in (f 2, f 4)

def keep [m] (xs: *[m]i64) : (i64 -> [m]i64) =
  let xs[0] = 7
  in \_ -> xs

entry kept (n: i64) : [][]i64 = map (keep (iota n)) [1, 2]

-- Names of sizes in patterns, where the size is a term that has no value of its own.
-- ==
-- entry: coerced
-- input { [1i64, 2i64] } output { [1i64, 1i64, 2i64] }
-- input { empty([0]i64) } output { empty([0]i64) }

def blank [n] (counts: [n]i64): []i64 =
  let size = reduce_comm (+) 0 counts
  in map (+ 1) (replicate size 0)

entry coerced [k] (counts: [k]i64) =
  let [m] (ones: [m]i64) = blank counts
  let sums = scan (+) 0 (filter (> 0) (blank counts)) :> [m]i64
  in map2 (\a b -> a * (b + 1) / 2) ones sums

-- The sizes of the two parameters are not the same, although one of them is the result.
-- ==
-- entry: alternatives
-- input { true [1, 2] [3, 4, 5] } output { [1, 2] }
-- input { false [1, 2] [3, 4, 5] } output { [3, 4, 5] }

def choose (c: bool) (a: []i32) (b: []i32) = if c then a else b

entry alternatives (c: bool) (a: []i32) (b: []i32) = choose c a b

-- ==
-- entry: literals_of_other_types
-- input { } output { [0i64, 1i64] }

-- Literals in a size have the types that they have where they are written.
entry literals_of_other_types = iota (i64.u16 (5 % 3))

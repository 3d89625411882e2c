-- Histograms: in shared memory, in passes, in global memory; by instructions, by exchanges, by guards and locks.
-- ==
-- entry: sums
-- input { 1i64 [0, 0, 0, 1, -1] [1, 2, 3, 4, 5] } output { [6] }
-- input { 0i64 [0, 0] [1, 2] } output { empty([0]i32) }
-- input { 3i64 empty([0]i32) empty([0]i32) } output { [0, 0, 0] }
-- random input { 1i64 [50000]i32 [50000]i32 } auto output
-- random input { 10i64 [50000]i32 [50000]i32 } auto output
-- random input { 1000i64 [50000]i32 [50000]i32 } auto output
-- random input { 6144i64 [50000]i32 [50000]i32 } auto output
-- random input { 6145i64 [50000]i32 [50000]i32 } auto output
-- random input { 20000i64 [50000]i32 [50000]i32 } auto output
-- random input { 40000i64 [50000]i32 [50000]i32 } auto output
-- entry: farthest
-- random input { 1i64 [50000]i32 [50000]i32 } auto output
-- random input { 77i64 [50000]i32 [50000]i32 } auto output
-- random input { 77i64 [500]i32 [500]i32 } auto output
-- random input { 9000i64 [50000]i32 [50000]i32 } auto output
-- random input { 40000i64 [50000]i32 [50000]i32 } auto output
-- entry: greatest
-- random input { 1i64 [50000]i32 [50000]i32 } auto output
-- random input { 100i64 [50000]i32 [50000]i32 } auto output
-- random input { 9000i64 [50000]i32 [50000]i32 } auto output
-- random input { 40000i64 [50000]i32 [50000]i32 } auto output
-- entry: wide_greatest
-- random input { 1i64 [50000]i32 [50000]i64 } auto output
-- random input { 100i64 [50000]i32 [50000]i64 } auto output
-- random input { 5000i64 [50000]i32 [50000]i64 } auto output
-- random input { 40000i64 [50000]i32 [50000]i64 } auto output
-- entry: totals
-- random input { 3i64 [50000]i32 [50000]i32 } auto output
-- random input { 5000i64 [50000]i32 [50000]i32 } auto output
-- random input { 40000i64 [50000]i32 [50000]i32 } auto output
-- entry: onto
-- random input { [100]i32 [30000]i32 [30000]i32 } auto output
-- random input { [20]i32 [100]i32 [100]i32 } auto output
-- random input { [9000]i32 [30000]i32 [30000]i32 } auto output

def at [n] (k: i64) (is: [n]i32): [n]i64 = map (\i -> i64.i32 i %% (k + 2) - 1) is

entry sums [n] (k: i64) (is: [n]i32) (xs: [n]i32) = hist (+) 0 k (if k == 1 then map i64.i32 is else at k is) xs

-- An operator of the user's.
entry farthest [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let far a b =
    if i32.abs a < i32.abs b || (i32.abs a == i32.abs b && a < b) then b else a
  in hist far 0 k (at k is) xs

-- Two scalars in a word.
entry greatest [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let most (a: i32, i: i32) (b, j) = if a < b || (a == b && j < i) then (b, j) else (a, i)
  in unzip (hist most (i32.lowest, i32.highest) k (at k is) (zip xs (map i32.i64 (iota n))))

-- More than a word.
entry wide_greatest [n] (k: i64) (is: [n]i32) (xs: [n]i64) =
  let most (a: i64, i: i64) (b, j) = if a < b || (a == b && j < i) then (b, j) else (a, i)
  in unzip (hist most (i64.lowest, i64.highest) k (at k is) (zip xs (iota n)))

-- Parts that are combined each for itself.
entry totals [n] (k: i64) (is: [n]i32) (xs: [n]i32) =
  let add (a: i32, c: i8, e: i64) (b, d, f) = (a + b, c + d, i64.max e f)
  in unzip3 (hist add (0, 0, i64.lowest) k (at k is) (map (\x -> (x, i8.i32 x, i64.i32 x)) xs))

-- The result begins with something.
entry onto [k] [n] (start: [k]i32) (is: [n]i32) (xs: [n]i32) =
  let by op ne = reduce_by_index (copy start) op ne (at k is) xs
  in (by (+) 0, by i32.max i32.lowest, by (^) 0, by (*) 1)

-- Sizes of arguments that are computed from other arguments are checked before anything else happens.
-- ==
-- entry: next
-- input { 1i64 [1, 2] } output { 1i64 }
-- input { 1i64 [1, 2, 3] } error: invalid size
-- input { 0i64 empty([0]i32) } error: invalid size

-- ==
-- entry: together
-- input { 1i64 [1, 2] [3, 4] } output { [4, 6] }
-- input { 1i64 [1, 2] [3] } error: invalid size
-- input { 1i64 [1] [3, 4] } error: invalid size

-- ==
-- entry: shared
-- input { [1] [2, 3] [[4, 5]] } output { 7 }
-- input { [1] [2, 3, 4] [[4, 5]] } error: invalid size
-- input { [1] [2, 3] [[4, 5, 6]] } error: invalid size

-- ==
-- entry: halved
-- input { 5i64 [1, 2] } output { 3 }
-- input { 5i64 [1] } error: invalid size

entry next (x: i64) (_: [x + 1]i32) = x

entry together (n: i64) (xs: [n + 1]i32) (ys: [n + 1]i32) = map2 (+) xs ys

entry shared [n] (xs: [n]i32) (ys: [n + 1]i32) (m: [n][n * 2]i32) = xs[0] + ys[0] + m[0, 0]

entry halved (n: i64) (xs: [n / 2]i32) = i32.sum xs

-- ==
-- entry: constant
-- input { [1, 2, 3] [4, 5] } output { 15 }
-- input { [1, 2] [4, 5] } error: invalid size
-- input { [1, 2, 3] [4] } error: invalid size

def three = 3i64
def counted = length (filter (> 0) [1i32, 0, 2])

entry constant (xs: [three]i32) (ys: [counted]i32) = i32.sum xs + i32.sum ys

-- An error says how the program came to it.
-- ==
-- entry: deep
-- input { [1] 0i64 } output { 1 }
-- input { [1] 1i64 } error: traces.fut:8.*traces.fut:10.*traces.fut:12.*traces.fut:14

-- The functions are lines apart.
def at (xs: []i32) (i: i64) = xs[i]

def through (xs: []i32) (i: i64) = at xs i

def mapped (xs: []i32) (i: i64) = i32.sum (map (\j -> through xs (i + j)) (iota 1))

entry deep (xs: []i32) (i: i64) = mapped xs i

-- ==
-- entry: inside
-- input { [1] [0i64] } output { [1] }
-- input { [1] [3i64] } error: traces.fut:21.*traces.fut:23

def each (xs: []i32) (is: []i64) = map (\i -> xs[i]) is

entry inside (xs: []i32) (is: []i64) = each xs is

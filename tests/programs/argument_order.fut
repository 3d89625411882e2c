-- The arguments of an application are evaluated before the function, whatever the function is: its
-- type may mention sizes that an argument brings into being.
-- ==
-- entry: partial sections operators nested
-- input { [1, -2, 3, 4] } output { [2, 4, 5] }
-- input { empty([0]i32) } output { empty([0]i32) }
def rep [n] 't (x: t) : [n]t = replicate n x

entry partial (xs: []i32) : []i32 = (map2 (+) (rep 1)) (filter (> 0) xs)

entry sections (xs: []i32) : []i32 = map (uncurry (+)) ((rep 1 `zip`) (filter (> 0) xs))

def (<+>) [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys

entry operators (xs: []i32) : []i32 = (rep 1 <+>) (filter (> 0) xs)

entry nested (xs: []i32) : []i32 = (map3 (\a b c -> a + b + c) (rep 1)) (rep 0) (filter (> 0) xs)

def plus [n] (ones: [n]i32) (xs: [n]i32) : [n]i32 = map2 (+) ones xs

-- A size that an argument of the argument brings into being.
-- ==
-- entry: inner
-- input { [1, -2, 3, 4] } output { [3, 5, 6] }
entry inner (xs: []i32) : []i32 = (plus (rep 1)) ((plus (rep 1)) (filter (> 0) xs))

-- The order of failures is the same: the argument's comes first.
-- ==
-- entry: failures
-- input { 0i64 } error: out of bounds for array of shape \[1\]
entry failures (n: i64) : i64 = (assert (n > 0) (+)) ([n][n + 5]) 1

def pick [n] (xs: [n]i32) (i: i64) : i32 = xs[i]

def f (xs: []i32) = map (pick (filter (> 0) xs)) [0, 1]

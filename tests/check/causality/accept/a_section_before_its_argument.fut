def rep [n] (x: i32) : [n]i32 = replicate n x

def f (xs: []i32) = (rep 1 `zip`) (filter (> 0) xs)

def rep [n] (x: i32) : [n]i32 = replicate n x

def f (xs: []i32) = (map2 (+) (rep 1)) (filter (> 0) xs)

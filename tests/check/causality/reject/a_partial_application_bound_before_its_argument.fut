-- error: causality-check
def rep [n] (x: i32) : [n]i32 = replicate n x

def f (xs: []i32) = let g = map2 (+) (rep 1) in g (filter (> 0) xs)

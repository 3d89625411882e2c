def f (n: i64) (xs: []i32) : [n]i32 = xs :> [n]i32
def g [n] [m] (xs: [n]i32) (ys: [m]i32) = map2 (+) xs (ys :> [n]i32)

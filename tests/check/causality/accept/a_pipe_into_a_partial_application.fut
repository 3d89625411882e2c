def rep [n] (x: i32) : [n]i32 = replicate n x

def f (xs: []i32) = filter (> 0) xs |> map2 (+) (rep 1)

def g (xs: []i32) = filter (> 0) xs |> (`zip` rep true)

def f (b: bool) (xs: []i32) (ys: []i32) : []i32 = if b then xs else ys

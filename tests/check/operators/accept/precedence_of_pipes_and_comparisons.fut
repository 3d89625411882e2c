def f (xs: []i32) : bool = (xs |> map (+ 1) |> i32.sum) > 3 && true

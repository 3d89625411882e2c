def f (xs: []i32) : []i32 = map (+ 1) xs |> map \x -> x * 2

def f (xs: []i32) = xs |> filter (> 0) |> map (\x -> x + 1)

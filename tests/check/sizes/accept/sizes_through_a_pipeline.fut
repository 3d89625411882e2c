def f [n] (xs: [n]f32) : [n]f32 = xs |> map (* 2) |> reverse |> rotate 1 |> scan (+) 0

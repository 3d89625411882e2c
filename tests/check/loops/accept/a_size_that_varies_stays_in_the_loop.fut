def f (g: i32 -> i32) (xs: []i32) =
  loop ys = xs for i < 2i32 do
    let zs = map g ys
    in zip zs (rep i) |> map (.0) |> filter (> 0)

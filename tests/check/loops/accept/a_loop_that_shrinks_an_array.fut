def f (xs: []i32) : []i32 =
  loop ys = xs while length ys > 2 do filter (> 0) ys

def f (xs: []i32) (ys: []i32) : []i32 =
  let a = filter (> 0) xs
  let b = map (const 1) ys
  in a ++ b

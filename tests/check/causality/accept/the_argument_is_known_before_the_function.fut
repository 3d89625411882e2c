def f (xs: []i32) =
  let [n] (ys: [n]i32) = filter (> 0) xs
  in zip ys (replicate n true)

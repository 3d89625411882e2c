def f (xs: []i32) : i64 =
  let [n] (ys: [n]i32) = filter (> 0) xs
  in n + length ys

def f (xs: []i32) : i64 =
  let (_, total) = loop [n] (ys: [n]i32, t) = (xs, 0) while n > 1 do (ys[:n / 2], t + n)
  in total

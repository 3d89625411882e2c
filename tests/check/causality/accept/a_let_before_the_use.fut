def f (x: i32) : []i32 =
  let n = i64.i32 x
  let xs = filter (> 0) (iota n)
  in map (\_ -> x) xs

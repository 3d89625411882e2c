def f (n: i64) : []i32 =
  let xs = replicate n 0i32
  let xs[0] = 1
  in xs

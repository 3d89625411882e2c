def f (x: i32) (y: i32) =
  let twice g v = g (g v)
  in twice (+ 1) x + twice (* 2) y

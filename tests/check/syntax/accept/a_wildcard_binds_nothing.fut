def f (_: i32) (_: bool) : i32 =
  let _ = 5i32
  in 1

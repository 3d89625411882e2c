def f (x: i32) : i32 =
  let x = x + 1
  let x = x * 2
  in x

def f (x: i32) : i32 =
  let a = x + 1
  let b = a * 2
  let c = b - a
  in c

def f (x: #only (i32, bool)) : i32 =
  let (#only (a, b)) = x
  in if b then a else 0

def f (n: i64) : i32 =
  let a = 1i32
  let b = 2i32
  let (c, _) = loop (a, b) for _i < n do (b, a)
  in c

def f (p: (i32, (bool, i64))) : i64 =
  let (a, (b, c)) = p
  in if b then i64.i32 a else c

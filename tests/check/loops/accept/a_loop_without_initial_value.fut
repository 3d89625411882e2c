def f (x: i32) (n: i64) : i32 =
  loop x for _i < n do x * 2

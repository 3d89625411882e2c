def f (n: i64) : []i32 =
  loop xs = [1] for _i < n do xs ++ xs

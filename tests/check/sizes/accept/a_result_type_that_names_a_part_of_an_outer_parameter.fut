def rows (n: i64, m: i64) =
  let row (x: i32) : [m]i32 = replicate m x
  in tabulate n (\i : [m]i32 -> row (i32.i64 i))

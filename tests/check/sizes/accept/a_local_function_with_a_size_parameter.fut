def f (xs: [3]i32) (ys: [4]i32) =
  let total [n] (zs: [n]i32) : i32 = i32.sum zs + i32.i64 n
  in total xs + total ys

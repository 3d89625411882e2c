-- error: size-mismatch
def f (n: i64) (xs: [n]i32) : [n]i32 =
  let n = n + 1
  in (replicate n 0 : [n]i32)

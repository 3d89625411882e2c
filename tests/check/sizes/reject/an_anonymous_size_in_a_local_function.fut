-- error: size-mismatch
def f (n: i64) =
  let last_of (xs: []i32) : [n]i32 = init xs
  in last_of (replicate (n + 1) 0)

-- error: size-mismatch
def f [n] (xs: [n]i32) : [n + 1]i64 =
  let m = length xs + 2
  in iota m

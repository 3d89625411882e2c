def main (c: bool) (xs: *[3]i64) (ys: *[3]i64) =
  let (a, b) = if c then (xs, ys) else (ys, xs)
  in a[0] + b[0]

def main (xs: *[3]i32) =
  let m = [xs, xs]
  let xs[0] = 1
  in (m, xs)

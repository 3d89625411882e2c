def main (xs: *[]i32) =
  let xs[0] = 1
  let xs[1] = xs[0] + 1
  in xs

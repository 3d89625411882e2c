def main (xs: *[]i32) =
  let first = xs[0]
  let xs[0] = xs[1]
  let xs[1] = first
  in xs

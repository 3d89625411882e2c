def main (xs: *[]i32) =
  let pairs = zip xs xs
  let pairs[0] = (0, 0)
  in (pairs, xs)

def main (xs: *[]i32) =
  let put = \(ys: *[]i32) -> ys with [0] = 1
  in put xs

def main (c: bool) (xs: *[]i32) =
  let ys = if c then xs with [0] = 1 else xs
  let ys[1] = 2
  in ys

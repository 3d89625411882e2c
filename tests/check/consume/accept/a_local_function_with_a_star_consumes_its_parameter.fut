def main (xs: *[]i32) =
  let put (i: i64) (ys: *[]i32) = ys with [i] = 1
  let xs = put 0 xs
  let xs = put 1 xs
  in xs

def main (k: i32) (xs: *[]i32) =
  let ys =
    match k
    case 0 -> xs with [0] = 1
    case 1 -> xs
    case _ -> xs with [1] = 2
  in ys with [0] = k

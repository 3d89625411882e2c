-- error: use-after-consume

def main (k: i32) (xs: *[]i32) =
  let y =
    match k
    case 0 -> (xs with [0] = 1)[0]
    case _ -> k
  in y + xs[0]

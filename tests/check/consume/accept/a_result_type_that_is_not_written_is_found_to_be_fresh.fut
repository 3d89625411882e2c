def double (xs: []i32) = map (* 2) xs

def main (xs: []i32) =
  let ys = double xs
  in (ys with [0] = 1, xs)

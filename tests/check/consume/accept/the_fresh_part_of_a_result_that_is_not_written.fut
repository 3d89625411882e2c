def both (xs: []i32) = (xs, map (* 2) xs)

def main (xs: []i32) =
  let (same, ys) = both xs
  in (same, ys with [0] = 1)

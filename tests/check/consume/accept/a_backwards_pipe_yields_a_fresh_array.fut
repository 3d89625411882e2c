def main (xs: []i32) =
  let ys = map (+ 1) <| xs
  in (ys with [0] = 1, xs)

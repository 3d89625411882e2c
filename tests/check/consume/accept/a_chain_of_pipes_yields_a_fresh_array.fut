def main (xs: []i32) =
  let ys = xs |> map (+ 1) |> map (* 2)
  in (ys with [0] = 1, xs)

def main (xs: *[]i32) =
  let shifted (k: i32) = map (+ k) xs
  let ys = shifted 3
  let ys[0] = 1
  in (ys, xs)

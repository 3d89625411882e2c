def main [n] (xs: *[n]i32) (ys: [n]i32) =
  loop (acc, src) = (xs, ys) for i < n do
    (acc with [i] = src[i], src)

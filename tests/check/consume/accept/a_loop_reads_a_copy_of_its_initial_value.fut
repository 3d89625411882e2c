def main [n] (xs: *[n]i32) =
  let old = copy xs
  in loop ys = xs for i < n do ys with [i] = old[n - 1 - i]

def main [n] (xs: *[n]i32) (is: []i64) =
  let total = foldl (\acc i -> map (+ xs[i]) acc) (replicate 3 0) is
  let xs[0] = 1
  in (total, xs)

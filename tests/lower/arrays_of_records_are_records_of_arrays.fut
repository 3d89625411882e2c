-- An array of pairs is two arrays, so `zip` and `unzip` are nothing.
entry main [n] (xs: [n]i32) (ys: [n]bool) : ([n]bool, [n]i32) =
  let pairs = map (\(x, y) -> (!y, x + 1)) (zip xs ys)
  in unzip pairs

def f [n] (xs: [n]i32) : [n]i32 =
  let (a, b) = partition (> 0) xs
  in a ++ b

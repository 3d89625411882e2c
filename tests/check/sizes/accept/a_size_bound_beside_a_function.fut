def f (p: ([2]i32, [2]i32 -> i32)) =
  let [n] (xs: [n]i32, g: [n]i32 -> i32) = p
  in (g xs, n)

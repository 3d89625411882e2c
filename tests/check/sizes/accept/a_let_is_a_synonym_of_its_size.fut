def f [n] (xs: [n]i32) : [length xs]i64 =
  let m = length xs
  in iota m |> map (+ 1)
def g (n: i64) : [n + 1]i64 =
  let m = n + 1
  in iota m

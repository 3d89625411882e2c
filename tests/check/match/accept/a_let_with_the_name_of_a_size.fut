-- warning: shadowed-size
def f [n] (xs: [n]i32) : i32 =
  let n = i32.i64 (length xs)
  in n + xs[0]

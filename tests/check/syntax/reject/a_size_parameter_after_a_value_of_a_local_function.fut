-- error: unexpected-token
def f (x: i32) =
  let count (_: i32) [n] (xs: [n]i32) = n
  in count x [1, 2]

-- error: unexpected-token
def f (x: i32) : i32 =
  let y
  in x

-- error: unknown-name
def f (x: i32) =
  let mut y = x
  in y

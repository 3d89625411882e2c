-- error: unknown-name
def f (x: i32) =
  let y = x
  y += 1
  in y

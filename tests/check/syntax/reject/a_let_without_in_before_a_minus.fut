-- error: missing-in
def f (x: i32) =
  let y = x
  -y

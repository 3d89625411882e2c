-- error: missing-in
def f (x: i32) : i32 =
  let y = x + 1
  let z = y * 2
  z + y

-- error: missing-then
def f (x: i32) : i32 =
  if x > 0
    x
  else 2

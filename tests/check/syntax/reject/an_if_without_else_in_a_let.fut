-- error: missing-else
def f (x: i32) : i32 =
  let y = if x > 0 then x + 1
  in y

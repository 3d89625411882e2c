-- error: missing-in
def f (x: i32) =
  let y = x + 1
  if y > 2 then y else x

-- error: unknown-name
def f (x: i32) : i32 =
  let g (y: i32) : i32 = if y == 0 then 0 else g (y - 1)
  in g x

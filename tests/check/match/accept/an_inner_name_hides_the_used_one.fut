-- warning: unused-name
def f (x: i32) : i32 =
  let y = x
  let y = 2i32
  in y

-- warning: unused-name
def f (x: i32) : i32 =
  let g (y: i32) : i32 = y
  in x

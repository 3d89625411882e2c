-- warning: unused-name
def f (x: i32) : i32 =
  let y = x + 1
  in x

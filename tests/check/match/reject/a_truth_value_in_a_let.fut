-- error: refutable-pattern
def f (x: (bool, i32)) : i32 =
  let (true, y) = x
  in y

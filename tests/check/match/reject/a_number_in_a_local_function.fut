-- error: refutable-pattern
def f (x: i32) : i32 =
  let g (2: i32) : i32 = 3
  in g x

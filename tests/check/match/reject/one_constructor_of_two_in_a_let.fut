-- error: refutable-pattern
def f (x: #a i32 | #b) : i32 =
  let (#a y) = x
  in y

def f (x: ()) (y: {}) : i32 =
  match (x, y)
  case ((), {}) -> 1

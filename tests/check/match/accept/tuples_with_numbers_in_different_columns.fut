def f (x: (i32, i32, i32)) : i32 =
  match x
  case (0, _, _) -> 0
  case (_, 1, _) -> 1
  case (_, _, 2) -> 2
  case (a, b, c) -> a + b + c

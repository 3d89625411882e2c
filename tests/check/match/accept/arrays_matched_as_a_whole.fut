def f [n] (x: ([n]i32, bool)) : i64 =
  match x
  case (_, true) -> n
  case (xs, false) -> length xs

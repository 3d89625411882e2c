def both (a: bool) (b: bool) : i32 =
  match (a, b)
  case (true, true) -> 2
  case (false, _) -> 0
  case (_, false) -> 1

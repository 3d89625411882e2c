-- warning: unreachable-case
def f (x: (bool, bool)) : i32 =
  match x
  case (true, _) -> 1
  case (_, true) -> 2
  case (false, false) -> 3
  case (true, true) -> 4

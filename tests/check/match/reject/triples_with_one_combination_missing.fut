-- error: unmatched-cases
def f (x: (bool, bool, bool)) : i32 =
  match x
  case (true, true, _) -> 1
  case (_, true, true) -> 2
  case (true, _, true) -> 3
  case (false, false, _) -> 4
  case (_, false, false) -> 5

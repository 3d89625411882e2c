-- error: unmatched-cases
def f (x: (bool, bool)) : i32 =
  match x
  case (true, _) -> 1
  case (false, false) -> 2

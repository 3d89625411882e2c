-- error: unmatched-cases
def f (x: (i32, i32)) : i32 =
  match x
  case (1, _) -> 1
  case (_, 2) -> 2

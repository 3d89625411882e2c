-- error: unmatched-cases
def f (x: bool) : i32 =
  match x
  case true -> 1

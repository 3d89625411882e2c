-- error: unmatched-cases
def f (x: bool) : i32 =
  match x
  case true -> (match x case true -> 1)
  case false -> 2

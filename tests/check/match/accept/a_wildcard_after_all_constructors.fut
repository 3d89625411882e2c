-- warning: unreachable-case
def f (x: #a | #b bool) : i32 =
  match x
  case #a -> 1
  case #b true -> 2
  case #b false -> 3
  case _ -> 4

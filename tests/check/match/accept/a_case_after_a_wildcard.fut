-- warning: unreachable-case
def f (x: #a | #b) : i32 =
  match x
  case #a -> 1
  case _ -> 2
  case #b -> 3

-- warning: unreachable-case
def f (x: i32) : i32 =
  match x
  case 1 -> 1
  case 2 -> 2
  case 1 -> 3
  case _ -> 4

-- warning: unreachable-case
def f (x: u8) : i32 =
  match x
  case 'A' -> 1
  case 65 -> 2
  case _ -> 3

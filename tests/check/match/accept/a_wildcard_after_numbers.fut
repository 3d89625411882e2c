def name (x: i32) : i32 =
  match x
  case 0 -> 4
  case 1 -> 3
  case -1 -> 2
  case _ -> 0

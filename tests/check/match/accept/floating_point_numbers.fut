def f (x: f32) : i32 =
  match x
  case 0.5 -> 1
  case 1 -> 2
  case -1 -> 3
  case _ -> 0

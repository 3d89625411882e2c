def f (x: (bool, i32)) : i32 =
  match x
  case ((true), (y: i32)) -> y
  case (((false, _)) : (bool, i32)) -> 0

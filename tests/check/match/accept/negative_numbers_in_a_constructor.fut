def f (x: #a i8 | #b) : i32 =
  match x
  case #a -1 -> 1
  case #a _ -> 2
  case #b -> 3

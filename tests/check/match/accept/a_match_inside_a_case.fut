def f (x: bool) (y: bool) : i32 =
  match x
  case true -> (match y case true -> 3 case false -> 2)
  case false -> match y case true -> 1 case false -> 0

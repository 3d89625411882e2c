def f (x: bool) : i32 =
  match x
  case #[likely] true -> 1
  case #[unlikely] false -> 0

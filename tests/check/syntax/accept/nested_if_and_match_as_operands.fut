def f (x: i32) (b: bool) : i32 =
  1 + (if b then x else 2) * (match x case 0 -> 1 case y -> y)

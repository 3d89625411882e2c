def f (x: i32) : i32 =
  match x
  case -1 -> 0
  case _ -> x
def g = f (-1) + f (- 2)

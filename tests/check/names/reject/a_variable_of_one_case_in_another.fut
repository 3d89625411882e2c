-- error: unknown-name
def f (x: #a i32 | #b) : i32 =
  match x
  case #a y -> y
  case #b -> y

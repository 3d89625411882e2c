-- error: unmatched-cases
def f (x: #a i32 | #b) : i32 =
  match x
  case #a 1 -> 0
  case #b -> 1

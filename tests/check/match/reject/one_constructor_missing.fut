-- error: unmatched-cases
def f (x: #a | #b | #c) : i32 =
  match x
  case #a -> 1
  case #c -> 2

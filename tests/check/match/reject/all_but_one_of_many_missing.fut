-- error: unmatched-cases
def f (x: #a | #b | #c | #d | #e) : i32 =
  match x
  case #c -> 2

-- error: unmatched-cases
def f (x: #none | #some i32) : i32 =
  match x
  case #none -> 1

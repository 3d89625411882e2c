-- error: unmatched-cases
def f (x: #only i32 i32) : i32 =
  match x
  case #only 1 _ -> 0
  case #only _ 1 -> 0

-- error: unmatched-cases
def f (x: i64) : i32 =
  match x
  case 0 -> 1
  case 1 -> 2

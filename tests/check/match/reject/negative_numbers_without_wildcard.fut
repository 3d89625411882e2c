-- error: unmatched-cases
def f (x: i64) : i32 =
  match x
  case -1 -> 1

type^ action = #apply (i32 -> i32) | #keep

def run (a: action) (x: i32) : i32 =
  match a
  case #apply f -> f x
  case #keep -> x

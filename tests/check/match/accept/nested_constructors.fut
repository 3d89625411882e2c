type option = #none | #some i32
type result = #ok option | #failed (option, bool)

def value (r: result) : i32 =
  match r
  case #ok #none -> 0
  case #ok (#some x) -> x
  case #failed (#none, true) -> -1
  case #failed (_, false) -> -2
  case #failed (#some x, _) -> x

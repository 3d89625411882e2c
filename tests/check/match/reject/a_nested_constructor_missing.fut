-- error: unmatched-cases
type option = #none | #some bool

def f (x: #ok option | #failed) : i32 =
  match x
  case #failed -> 0
  case #ok #none -> 1
  case #ok (#some true) -> 2

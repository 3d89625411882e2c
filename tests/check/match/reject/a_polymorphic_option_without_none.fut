-- error: unmatched-cases
type option 'a = #none | #some a

def get 'a (x: option a) : a =
  match x
  case #some y -> y

type opt 'a = #some a | #none
def map_opt 'a 'b (f: a -> b) (x: opt a) : opt b =
  match x
  case #some y -> #some (f y)
  case #none -> #none
def g = map_opt (+ 1i32) (#some 2)

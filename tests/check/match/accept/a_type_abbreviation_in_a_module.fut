module colours = {
  type t = #red | #green
  def code (c: t) : i32 = match c case #red -> 0 case #green -> 1
}

def f (c: colours.t) : bool =
  match c
  case #green -> true
  case #red -> false

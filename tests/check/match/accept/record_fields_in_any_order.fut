type colour = #red | #blue

def f (r: {c: colour, on: bool}) : i32 =
  match r
  case {on = true, c = #red} -> 1
  case {c = #blue, on} -> if on then 2 else 3
  case {c = _, on = false} -> 4

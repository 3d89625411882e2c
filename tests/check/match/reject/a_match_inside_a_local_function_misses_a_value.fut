-- error: unmatched-cases
def f (y: bool) : i32 =
  let g (x: bool) : i32 = match x case false -> 1
  in g y

-- error: unmatched-cases
def f (x: {a: bool, b: #x | #y}) : i32 =
  match x
  case {a = true, b = _} -> 0
  case {a, b = #x} -> if a then 1 else 2

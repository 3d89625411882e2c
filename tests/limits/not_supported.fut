-- A program that is right, but cannot be translated yet.

type inner = #half f64 | #none
type outer = #byte u8 | #inner inner

def half (o: outer) : f64 =
  match o
  case #byte _ -> 0
  case #inner (#half x) -> x / 2
  case #inner #none -> 1

entry main (n: u8) : f64 =
  match vjp half (#byte n) 1
  case #byte _ -> 0
  case #inner _ -> 1

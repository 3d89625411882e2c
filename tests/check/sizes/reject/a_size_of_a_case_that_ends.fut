-- error: size-mismatch
def f [n] (_: [n]i32) =
  match n
  case 0 -> [1]
  case m -> replicate (m + 1) 0i32

def g [k] (_: [k + 1]i32) = k

def h (xs: []i32) = g (f xs)

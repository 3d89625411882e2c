type two = #both ([2]f32) ([2]f32) | #none

def main (t: *two) =
  match t
  case #both x y ->
    let x[0] = y[0]
    in (x, y)
  case #none -> ([0, 0], [0, 0])

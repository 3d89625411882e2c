type shape = #circle f64 | #square f64 | #rectangle f64 f64

def area (s: shape) : f64 =
  match s
  case #circle r -> 3.0 * r * r
  case #square a -> a * a
  case #rectangle a b -> a * b

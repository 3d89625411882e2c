-- A record is its fields, in the order of their names; a tuple is a record. Nothing is left of either.
type point = {y: f64, x: f64}

def shift (by: f64) (p: point) : point = p with x = p.x + by

entry main (x: f64) (y: f64) : (f64, f64) =
  let p = shift 1 {x, y}
  let (a, b) = (p.y, p.x)
  in (a, b)

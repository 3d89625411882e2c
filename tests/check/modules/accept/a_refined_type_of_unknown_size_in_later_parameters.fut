module type encoder = {
  type~ t
  val get : i64 -> t -> u8
  val (<=) : (t, i64) -> (t, i64) -> bool
}

def hash 'x (get: i64 -> x -> u8) (n: i64) (x: x) : u8 = u8.sum (map (\i -> get i x) (iota n))

module mk (E: encoder with t = []u8) = {
  def hashed [n] (xs: [n]u8) = hash E.get n xs
  def less [n] [m] (xs: [n]u8) (ys: [m]u8) = (xs, n) E.<= (ys, m)
}

-- error: type-mismatch
module type counter = {
  type t
  val zero : t
}

module count (c: counter) = {
  def is_zero (x: c.t) : bool = x == c.zero
}

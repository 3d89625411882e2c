-- error: unmatched-cases
module m (P: {type t val x : t}) = {
  def f (b: bool) : P.t = match b case false -> P.x
}

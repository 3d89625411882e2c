module type store = {
  type t
  val size : t -> i64
}

module mk (P: {type~ t val size : t -> i64}) : store with t = P.t = {
  type~ t = P.t
  def size = P.size
}

module twice (P: {type~ t val size : t -> i64}) = {
  module inner = mk P
  type t = inner.t
  type pair 'a = {of: t, also: a}
  def size (x: t) = 2 * inner.size x
}

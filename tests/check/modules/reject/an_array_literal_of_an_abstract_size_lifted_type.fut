-- error: functional-type

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module f (m: box) = {
  def two (n: i64) = [m.make n, m.make n]
}

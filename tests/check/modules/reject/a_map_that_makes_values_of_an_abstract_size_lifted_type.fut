-- error: functional-type

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module f (m: box) = {
  def sizes (n: i64) = map m.size (map m.make (iota n))
}

-- error: functional-type

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module f (m: box) = {
  def copies (n: i64) = replicate n (m.make n)
}

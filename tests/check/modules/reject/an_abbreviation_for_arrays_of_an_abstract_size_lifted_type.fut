-- error: lifted-element

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module f (m: box) = {
  type~ many = []m.t
}

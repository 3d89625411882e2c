-- error: lifted-element

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module type boxes = {
  include box
  val all [n] : [n]i64 -> [n]t
}

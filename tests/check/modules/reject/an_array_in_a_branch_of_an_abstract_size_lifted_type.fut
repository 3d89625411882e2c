-- error: functional-type

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

module f (m: box) = {
  def one (n: i64) = match n case 0 -> [m.make 1] case _ -> [m.make 2]
}

-- error: functional-type

module type box = {
  type~ t
  val make : i64 -> t
  val size : t -> i64
}

def same (x: i64) = x

def id 'a (x: a) : a = x

module f (m: box) = {
  def one (n: i64) = id (m.make (same n))
}

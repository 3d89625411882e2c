module type vec = { type t [n] val make : (n: i64) -> t [n] val len [n] : t [n] -> i64 }
module vec : vec = {
  type t [n] = [n]i32
  def make (n: i64) : t [n] = replicate n 0
  def len [n] (_: t [n]) = n
}
def f = vec.len (vec.make 3)

module m : { type~ t val make : i64 -> t val len : t -> i64 } = {
  type~ t = []i32
  def make (n: i64) : t = replicate n 0
  def len (x: t) : i64 = length x
}
def f = m.len (m.make 3)

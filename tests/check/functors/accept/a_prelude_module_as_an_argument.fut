module total (m: { type t val + : t -> t -> t val i32 : i32 -> t }) = {
  def total [n] (xs: [n]m.t) : m.t = reduce (m.+) (m.i32 0) xs
}
module total_f64 = total f64
def f = total_f64.total [1.0, 2.0]

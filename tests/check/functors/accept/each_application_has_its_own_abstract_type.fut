module box (m: { type t }) : { type b val wrap : m.t -> b val unwrap : b -> m.t } = {
  type b = m.t
  def wrap (x: m.t) : b = x
  def unwrap (x: b) : m.t = x
}
module a = box { type t = i32 }
def f : i32 = a.unwrap (a.wrap 1)

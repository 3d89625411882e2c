module impl : { type t val make : t val value : t -> i32 } = {
  type t = i32
  def make = 1i32
  def value (x: t) : i32 = x
}
open impl

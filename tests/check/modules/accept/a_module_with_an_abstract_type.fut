module type counter = { type t val zero : t val next : t -> t val get : t -> i32 }
module counter : counter = {
  type t = i32
  def zero = 0i32
  def next (x: t) : t = x + 1
  def get (x: t) : i32 = x
}
def f = counter.get (counter.next counter.zero)

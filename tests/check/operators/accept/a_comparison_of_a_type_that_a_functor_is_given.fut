module type number = {
  type t
  val i32 : i32 -> t
  val (==) : t -> t -> bool
}

module zeros (n: number) = {
  def is_zero (x: n.t) = x n.== n.i32 0
}

module z = zeros i64

module concrete : {
  type t = i32
  val zero : t
} = {
  type t = i32
  def zero = 0i32
}

def f (x: concrete.t) (y: i64) = x == concrete.zero && z.is_zero y

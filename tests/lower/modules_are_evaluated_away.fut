-- Applying a module is what the compiler does.
module type monoid = {
  type t
  val op : t -> t -> t
  val zero : t
}

module folds (m: monoid) = {
  def fold (xs: []m.t) : m.t = reduce m.op m.zero xs
}

module sums =
  folds {
    type t = i64
    def op (a: i64) b = a + b
    def zero = 0i64
  }

module ands =
  folds {
    type t = bool
    def op a b = a && b
    def zero = true
  }

entry main (xs: []i64) : (i64, bool) = (sums.fold xs, ands.fold (map (> 0) xs))

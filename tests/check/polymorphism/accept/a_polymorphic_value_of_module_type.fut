module type monoid = { type t val zero : t val plus : t -> t -> t }
module sum_of (m: monoid) = { def sum [n] (xs: [n]m.t) : m.t = reduce m.plus m.zero xs }
module sums = sum_of { type t = i32 def zero = 0i32 def plus = (i32.+) }
def f = sums.sum [1, 2]

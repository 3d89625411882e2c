module type number = { type t val add : t -> t -> t val zero : t }
module sum (n: number) = { def sum (xs: []n.t) = reduce n.add n.zero xs }
module sum_i32 = sum { type t = i32 def add = (i32.+) def zero = 0i32 }
def f = sum_i32.sum [1, 2, 3]

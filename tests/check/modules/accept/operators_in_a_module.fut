module type add = { type t val + : t -> t -> t val zero : t }
module i : add with t = i32 = { type t = i32 def (+) (x: t) (y: t) : t = x i32.+ y def zero = 0i32 }
def f = i.(zero + zero)

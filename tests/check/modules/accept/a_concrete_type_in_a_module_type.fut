module type mt = { type t = i32 val f : t -> t }
module m : mt = { type t = i32 def f (x: t) = x + 1 }
def g : i32 = m.f 1

-- error: type-mismatch
module type mt = { type t val x : t val f : t -> i32 }
module a : mt = { type t = i32 def x = 1i32 def f (x: t) : i32 = x }
module b : mt = { type t = i32 def x = 1i32 def f (x: t) : i32 = x }
def y = a.f b.x

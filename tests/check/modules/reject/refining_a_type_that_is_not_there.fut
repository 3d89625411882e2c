-- error: cannot-refine
module type mt = { type t val x : t }
module m : mt with u = i32 = { type t = i32 def x = 1i32 }

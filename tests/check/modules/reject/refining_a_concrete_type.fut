-- error: cannot-refine
module type mt = { type t = i32 val x : t }
module m : mt with t = i64 = { type t = i32 def x = 1i32 }

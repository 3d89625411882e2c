-- error: module-mismatch
module f (m: { type t val x : t }) = { def y = m.x }
module n = f { type t = i32 def x = true }

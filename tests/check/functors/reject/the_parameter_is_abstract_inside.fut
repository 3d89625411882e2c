-- error: type-mismatch
module f (m: { type t val x : t }) = { def y : i32 = m.x }

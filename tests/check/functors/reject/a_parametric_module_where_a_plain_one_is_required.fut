-- error: module-mismatch
module f (m: { val x : i32 }) = { def y = m.x }
module g (m: { val x : i32 }) = { def y = m.x }
module h = f g

-- error: module-is-parametric
module f (m: { val x : i32 }) = { def y = m.x }
open f

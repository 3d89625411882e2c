-- error: module-mismatch
module f (m: { val x : i32 val y : i32 }) = { def z = m.x + m.y }
module n = f { def x = 1i32 }

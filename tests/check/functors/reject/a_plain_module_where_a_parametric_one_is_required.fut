-- error: module-mismatch
module f (g: (m: { val x : i32 }) -> { val y : i32 }) = { module n = g { def x = 1i32 } def z = n.y }
module h = f { def y = 1i32 }

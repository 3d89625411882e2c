-- error: type-mismatch
module m = { def x : i32 = true def y = 1i32 }
def z = m.y

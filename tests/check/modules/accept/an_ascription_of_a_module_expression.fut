module m = { def x = 1i32 def y = 2i32 } : { val x : i32 }
def z = m.x

module m : { val x : i32 } = { def x = 1i32 def y = true }
def z = m.x

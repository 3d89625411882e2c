-- error: unknown-name
module m : { val x : i32 } = { def x = 1i32 def y = 2i32 }
def z = m.y

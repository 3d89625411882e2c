module m = { def x = 1i32 }
module n = m
def y = n.x

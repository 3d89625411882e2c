-- error: unexpected-token
module m = { def x = 1 } }
def y = m.x

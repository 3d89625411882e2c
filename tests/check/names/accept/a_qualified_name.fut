module m = { module n = { def x = 1i32 type t = i32 } }
def y : m.n.t = m.n.x

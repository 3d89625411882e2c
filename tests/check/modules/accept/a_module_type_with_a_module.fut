module type outer = { module inner : { val x : i32 } }
module m : outer = { module inner = { def x = 1i32 } }
def y = m.inner.x

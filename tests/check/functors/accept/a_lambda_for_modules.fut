module make = \(m: { val x : i32 }) -> { def y = m.x + 1 }
module n = make { def x = 1i32 }
def z = n.y

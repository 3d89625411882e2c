module a = { module b = { def x = 1i32 } def y = b.x }
def z = a.b.x + a.y

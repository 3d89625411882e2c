module m = { local def helper = 1i32 def x = helper + 1 }
def y = m.x

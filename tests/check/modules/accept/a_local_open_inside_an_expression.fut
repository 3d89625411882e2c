module m = { def x = 1i32 def f (y: i32) = y + x }
def z = m.(f x + f 2)

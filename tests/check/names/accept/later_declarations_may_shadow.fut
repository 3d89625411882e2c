def f (x: i32) : i32 = x
module m = { def f = 1i32 }
open m
def g = f

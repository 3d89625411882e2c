-- error: type-mismatch
module m : { type t val x : t } = { type t = i32 def x = 1i32 }
def f : i32 = m.x

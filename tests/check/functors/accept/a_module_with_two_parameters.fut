module pair (a: { type t val x : t }) (b: { type t val x : t }) = { def both = (a.x, b.x) }
module p = pair { type t = i32 def x = 1i32 } { type t = bool def x = true }
def f : (i32, bool) = p.both

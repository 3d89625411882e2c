module type out = { type t val make : i32 -> t }
module f (m: { val offset : i32 }) : out with t = i32 = { type t = i32 def make (x: i32) = x + m.offset }
module n = f { def offset = 10i32 }
def z : i32 = n.make 1

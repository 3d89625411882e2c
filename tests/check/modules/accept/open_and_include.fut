module type has_x = { val x : i32 }
module type has_both = { include has_x val y : i32 }
module m : has_both = { def x = 1i32 def y = 2i32 }
open m
def z = x + y

module type num = { val x : i32 }
module twice (f: (m: num) -> num) (m: num) = f (f m)
module inc (m: num) = { def x = m.x + 1 }
module three = twice inc { def x = 1i32 }
def y = three.x

def pair = (1i32, 2i32,)
def array = [1i32, 2, 3,]
def record = {x = 1i32, y = true,}
type t = (i32, bool,)
type r = {x: i32, y: bool,}
def first (x: i32, _: bool,) = x

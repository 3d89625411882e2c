-- error: unexpected-token
-- error: unexpected-token
def f (x: i32) : i32 = let y in x
def g (x: i32) : i32 = if x then
def h = 1i32

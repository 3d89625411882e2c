-- error: functional-type
def f (b: bool) = if b then (+ 1i32) else (* 2i32)

-- error: functional-type
def f (b: bool) = if b then {op = (+ 1i32)} else {op = (* 2i32)}

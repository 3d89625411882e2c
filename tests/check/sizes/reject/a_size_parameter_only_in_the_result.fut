-- error: ambiguous-size
def f [n] (x: i32) : [n]i32 = replicate n x
def g = length (f 2)

-- error: type-mismatch
def add (x: i32) (y: i32) : i32 = x + y
def f (p: (i32, i32)) : i32 = add p

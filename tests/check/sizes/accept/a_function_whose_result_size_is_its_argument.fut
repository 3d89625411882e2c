def f (n: i64) : [n]i32 = replicate n 0
def g (m: i64) : [m + 1]i32 = f (m + 1)

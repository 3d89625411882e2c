def zeros (n: i64) : [n]i32 = rep 0

def f (k: i64) (xs: [k]i32) : i32 = i32.sum xs

-- error: size-mismatch
def f (n: i64) (xs: []i32) : [n]i32 = tail xs

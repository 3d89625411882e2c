-- error: size-mismatch
def pad (n: i64) : [n + ???]i32 = replicate n 0

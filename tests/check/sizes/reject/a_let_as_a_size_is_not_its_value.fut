-- error: size-mismatch
def pad (n: i64) : [let m = n in m]i32 = replicate n 0

-- error: size-mismatch
def pad (n: i64) (xs: [loop a = 1 for _i < n do a * 2]i32) : [loop a = 2 for _i < n do a * 2]i32 = xs

-- error: size-not-i64
def pad (n: i64) (xs: [let m = n in m == 2]i32) = xs

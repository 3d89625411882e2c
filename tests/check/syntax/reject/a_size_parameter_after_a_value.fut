-- error: unexpected-token
def count (x: i32) [n] (xs: [n]i32) : i64 = n

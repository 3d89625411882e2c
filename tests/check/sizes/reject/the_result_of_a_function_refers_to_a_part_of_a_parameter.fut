-- error: inaccessible-size
def f (n: i64, m: i64) (xs: [n]i32) = m + length xs

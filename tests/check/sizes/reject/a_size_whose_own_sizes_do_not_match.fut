-- error: size-mismatch
def pad (n: i64) (xs: [i64.sum (map2 (+) (iota n) [1, 2])]i32) = xs

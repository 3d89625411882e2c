-- error: size-mismatch
def pad (rs: [2]{a: i64, b: i64}) (xs: [i64.sum (map (.b) rs)]i32) : [i64.sum (map (.a) rs)]i32 = xs

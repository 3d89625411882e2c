-- error: size-mismatch
def f [n] (b: bool) (xs: [n]i32) : [n]i32 = if b then xs else filter (> 0) xs

-- error: size-mismatch
def g [n] (xs: [n]i32) (ys: [n]i32) = map2 (+) xs ys
def f [n] (xs: [n]i32) = g xs (filter (> 0) xs)

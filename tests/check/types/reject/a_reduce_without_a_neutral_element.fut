-- error: type-mismatch
def f (xs: []i32) = reduce (+) xs

-- error: type-mismatch
def f (xs: []i32) = reduce 0 (+) xs

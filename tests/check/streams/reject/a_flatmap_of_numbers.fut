-- error: type-mismatch
def f (xs: []i64) = flatmap' (\x -> x + 1) xs

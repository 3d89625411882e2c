-- error: size-mismatch
def f (xs: []i32) : [10]i32 = xs ++ xs

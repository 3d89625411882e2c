-- error: unknown-name
def f (xs: []i32) = xs !! 0

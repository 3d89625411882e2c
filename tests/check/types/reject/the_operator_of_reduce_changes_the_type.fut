-- error: type-mismatch
def f (xs: []i32) = reduce (\x y -> x == y) 0 xs

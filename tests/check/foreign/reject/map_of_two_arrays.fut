-- error: too-many-arguments
def f (xs: []i32) (ys: []i32) = map (+) xs ys

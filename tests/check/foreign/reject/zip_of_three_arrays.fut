-- error: too-many-arguments
def f (xs: []i32) = zip xs xs xs

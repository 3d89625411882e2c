-- warning: using-intrinsics
def f (xs: []i32) = intrinsics.flatten [xs]

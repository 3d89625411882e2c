-- error: no-field
def f (xs: []i32) = xs.length + 1

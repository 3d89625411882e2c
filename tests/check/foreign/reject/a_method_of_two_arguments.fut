-- error: no-field
def f (xs: []i32) = xs.reduce((+), 0)

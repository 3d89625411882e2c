-- error: no-field
def f (xs: []i32) = xs.map(\x -> x + 1)

def f (xs: []i32) (ys: []i32) = length xs + length ys
def g = f [1] [1, 2]

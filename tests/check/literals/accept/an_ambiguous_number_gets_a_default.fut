-- warning: default-type
def f (xs: []bool) : bool = xs[1]
def g = let x = 1 in x == x

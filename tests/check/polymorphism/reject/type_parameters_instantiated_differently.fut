-- error: type-mismatch
def pair_of 'a (x: a) (y: a) : (a, a) = (x, y)
def f = pair_of 1i32 true

-- error: size-mismatch
def twice f = (f 2i64, f 4i64)

def f = let (xs, ys) = twice iota in zip xs ys

def k : i64 = 10
def f (xs: [k]i32) : i32 = xs[0]
def g = f (replicate k 1)

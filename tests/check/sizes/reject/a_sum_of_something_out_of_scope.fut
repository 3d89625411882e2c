-- error: size-mismatch
-- For the caller, the result has just some size.
def f (n: i64, _: bool) = replicate (n + 1) 0i32

def g [k] (_: [k + 1]i32) = k

def h (x: i64) = g (f (x, true))

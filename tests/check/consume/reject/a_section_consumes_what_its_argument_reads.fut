-- error: use-after-consume
-- A function is evaluated before its arguments, also if it is a section.
def zeroed [n] (a: *[n]i64) : *[n]i64 = a with [0] = 0
def join (a: i64) (b: i64) : i64 = 10 * a + b
def f (xs: *[2]i64) : i64 = (`join` (zeroed xs)[0]) xs[0]

-- error: unknown-name
def f (n: i64) = range 0 n

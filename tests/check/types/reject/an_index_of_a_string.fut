-- error: not-a-function
-- error: not-a-function
def f (n: i64) = "abc"[n]
def g (n: i64) = "abc" [n]

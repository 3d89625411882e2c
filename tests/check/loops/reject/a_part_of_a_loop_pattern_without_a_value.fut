-- error: loop-needs-initial-value
def f (x: i32) (n: i64) = loop (x, _) for _i < n do (x + 1, x)

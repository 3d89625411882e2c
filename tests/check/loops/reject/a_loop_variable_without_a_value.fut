-- error: unknown-name
def f (n: i64) : i32 = loop acc for _i < n do acc + 1

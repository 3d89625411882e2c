def f (n: i64) : i64 = loop acc = 0 for i < n do acc + i

-- error: unknown-name
def f (n: i64) : i64 =
  let s = loop acc = 0 for i < n do acc + i
  in s + i

def f (n: i64) : *[n]i64 =
  loop xs = replicate n 0 for i < n do xs with [i] = i

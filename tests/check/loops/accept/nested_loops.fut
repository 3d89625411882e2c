def f (n: i64) (m: i64) : i64 =
  loop a = 0 for i < n do
    loop b = a for j < m do
      b + i * j

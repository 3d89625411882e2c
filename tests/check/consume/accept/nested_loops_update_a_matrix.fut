def main (n: i64) =
  loop m = replicate n (replicate n 0i64) for i < n do
    loop m for j < n do
      m with [i, j] = i * j

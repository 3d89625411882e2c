def main (n: i64) =
  loop (a, b) = (replicate n 0f64, replicate n 1.0) for i < n do
    let a[i] = b[i]
    let b[i] = 0.0
    in (a, b)

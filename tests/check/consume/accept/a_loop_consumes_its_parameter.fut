def main (n: i64) =
  loop xs = iota n for i < n do xs with [i] = xs[i] * 2

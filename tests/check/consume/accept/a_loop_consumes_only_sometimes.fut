def main (n: i64) =
  loop xs = iota n for i < n do
    if i % 2 == 0 then xs else xs with [i] = 0

-- error: not-consumable

def main (n: i64) =
  loop (ys: [n]i64) = iota n for i < n do ys with [i] = 0

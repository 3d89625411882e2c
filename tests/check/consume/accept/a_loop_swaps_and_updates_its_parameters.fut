def main (n: i64) =
  loop (a, b) = (iota n, iota n) for _i < 3i32 do
    (b with [1] = 7, a with [0] = 2)

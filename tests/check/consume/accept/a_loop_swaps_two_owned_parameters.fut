def main (n: i64) =
  loop (a: *[]i64, b: *[]i64) = (iota n, iota n) for _i < 3i32 do (b, a)

-- error: loop-parameter-aliases-other

def main (n: i64) =
  loop (xs: *[]i64, ys: *[]i64) = (iota n, iota n) for _i < 3i32 do
    (xs, xs)

-- error: self-aliasing-arg

def main [n] (xs: *[n]i64) =
  loop (inp, out) = (xs, xs) for _i < 3i32 do
    (scatter out (iota n) (map (+ 1) inp), inp)

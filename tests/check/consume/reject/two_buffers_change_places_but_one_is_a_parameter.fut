-- error: not-consumable

def main [n] (xs: [n]i64) =
  let (res, _) =
    loop (inp, out) = (xs, copy xs) for _i < 3i32 do
      (scatter out (iota n) (map (+ 1) inp), inp)
  in res

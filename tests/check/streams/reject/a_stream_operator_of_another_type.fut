-- error: type-mismatch
def f [n] [k] (d: *[k]i32) (is: [n]i64) : *[k]i32 =
  intrinsics.hist_stream d (\x y -> x && y) 0 (\acc _ -> acc) is

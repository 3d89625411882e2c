-- error: cannot-index
def f [n] [k] (d: *[k]i32) (is: [n]i64) : *[k]i32 =
  intrinsics.scatter_stream d (\(acc: *intrinsics.acc ([k]i32)) i -> let _ = acc[i] in acc) is

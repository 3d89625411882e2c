-- error: type-mismatch
def f [n] [k] (d: *[k]i32) (is: [n]i64) : *[k]i32 =
  intrinsics.scatter_stream d (\(acc: *intrinsics.acc ([k]i32)) i -> intrinsics.acc_write acc i true) is

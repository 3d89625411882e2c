-- error: size-mismatch
def pad (n: i64) (k: i64) (xs: [match n case 0 -> 1 case m -> m]i32)
  : [match k case 0 -> 1 case m -> m]i32 =
  xs

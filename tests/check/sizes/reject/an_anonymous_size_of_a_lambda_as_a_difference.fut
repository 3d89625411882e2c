-- error: size-mismatch
def f (pair: ([]i32, []i32)) =
  (\(xs: []i32) (ys: []i32) : [10]i32 -> xs ++ ys) pair.0 pair.1

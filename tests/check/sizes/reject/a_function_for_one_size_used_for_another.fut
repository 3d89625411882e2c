-- error: size-mismatch
def f (g: [10]i32 -> i32) =
  let h (n: i64) (xs: [n]i32) = g xs
  in h

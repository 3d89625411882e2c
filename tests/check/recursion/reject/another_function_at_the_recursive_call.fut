-- error: recursion
def iter (f: i32 -> i32) (n: i32) (x: i32) : i32 =
  if n == 0 then x else iter (\y -> f (f y)) (n - 1) x

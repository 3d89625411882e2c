-- error: size-mismatch
def g [k] (_: [k + 1]i32) = k

def f (n: i64) =
  g (loop xs = [0i32] for _i < n do xs ++ [1])

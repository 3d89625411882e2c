-- error: causality-check
def f (n: i64) =
  let empty : [0][]i32 = []
  let xs = filter (> 0) (map i32.i64 (iota n))
  in empty ++ [xs]

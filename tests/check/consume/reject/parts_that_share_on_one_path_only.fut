-- error: use-after-consume

def main (c: bool) (n: i64) =
  let t = iota n
  let (x, y) = if c then (t with [0] = 1, iota n) else (t, t)
  let x[0] = 2
  in (x, y[0])

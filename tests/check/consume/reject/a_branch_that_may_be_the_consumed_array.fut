-- error: use-after-consume

def main (c: bool) (n: i64) =
  let xs = iota n
  let ys = if c then xs else iota n
  let ys[0] = 5
  in (ys, xs)

-- error: use-after-consume

def main (n: i64) =
  let xs = iota n
  let ys = loop acc = xs for i < n do acc with [i] = 0
  in (ys, xs[0])

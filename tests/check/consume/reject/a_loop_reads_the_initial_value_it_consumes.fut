-- error: use-after-consume

def main (n: i64) =
  let xs = iota n
  in loop acc = xs for i < n do acc with [i] = xs[i] + 1

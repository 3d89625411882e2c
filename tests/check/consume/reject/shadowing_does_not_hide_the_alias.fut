-- error: use-after-consume

def main (n: i64) =
  let xs = iota n
  let ys =
    let xs = xs
    let xs[0] = 42
    in xs
  in (xs, ys)

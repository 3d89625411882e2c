-- error: use-after-consume

def main (n: i64) =
  let (a, b) =
    let t = iota n
    in (t, t)
  let a[0] = 1
  in (a, map (\i -> b[i]) (iota n))

-- error: use-after-consume

def main (k: i64) (xs: *[5]i64) =
  let r = loop x = xs for _i < k do iota 5
  let r[0] = 1
  in (r, xs[0])

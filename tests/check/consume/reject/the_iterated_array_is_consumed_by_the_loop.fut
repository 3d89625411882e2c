-- error: use-after-consume

def main [n] (xs: *[n]i64) =
  loop ys = xs for x in xs do ys with [x] = 0

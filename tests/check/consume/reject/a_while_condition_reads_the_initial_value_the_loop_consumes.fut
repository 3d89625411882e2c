-- error: use-after-consume

def main (xs: *[]i32) =
  loop ys = xs while xs[0] < 10 do ys with [0] = ys[0] + 1

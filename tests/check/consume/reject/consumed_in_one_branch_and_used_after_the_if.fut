-- error: use-after-consume

def main (c: bool) (xs: *[]i32) =
  let y = if c then (xs with [0] = 1)[0] else 0
  in y + xs[0]

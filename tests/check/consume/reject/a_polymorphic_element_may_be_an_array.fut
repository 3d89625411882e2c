-- error: use-after-consume

def replace 't (xs: *[]t) (x: t) =
  let old = xs[0]
  let xs[0] = x
  in (xs, old)

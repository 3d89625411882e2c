type inner = {xs: [4]i32, ys: [4]i32}
type outer = {left: inner, right: inner}

def main (o: *outer) =
  let p = o with left.xs[0] = 1
  in (p, o.right.ys[0], o.left.ys[1])

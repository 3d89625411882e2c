-- error: use-after-consume

type pair = {a: [4]i32, b: [4]i32}

def main (p: *pair) =
  let q = p with a = [1, 2, 3, 4]
  let b = q.b with [0] = 1
  in (b, p.b[0])

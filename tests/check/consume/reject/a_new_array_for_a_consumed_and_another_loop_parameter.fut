-- error: loop-parameter-aliases-other

def main (n: i64) =
  loop (a, b) = (iota n, iota n) for i < n do
    let a[i] = b[i]
    let fresh = map (+ a[0]) b
    in (fresh, fresh)

-- error: use-after-consume

def main (n: i64) =
  let a = iota n
  let b: *[]i64 = a
  let b[0] = 1
  in (b, a[0])

-- error: use-after-consume

def main (n: i64) =
  let xs = iota n
  let pair = (1i32, xs)
  let (_, other) = pair
  let other[0] = 1
  in (other, xs)

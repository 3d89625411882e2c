-- error: use-after-consume

def put (xs: *[]i32) (i: i64) = xs with [i] = 0

def main (x: i32) =
  let f = put [x, x, x]
  let a = f 0
  let b = f 1
  in (a, b)

def put (xs: *[]i64) (n: i64) : []i64 = xs with [0] = n

def main (n: i64) =
  let xs = put (iota n) n
  in (xs with [1] = 2, n)

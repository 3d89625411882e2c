-- warning: unused-name
def spend (xs: *[]i64) : i64 = xs[0]

def main (n: i64) =
  let xs = iota n
  let unused = xs
  in spend xs

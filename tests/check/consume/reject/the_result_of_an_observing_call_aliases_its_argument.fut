-- error: use-after-consume

def pick (xs: [][]i32) (i: i64) : []i32 = xs[i]

def main (xs: *[][]i32) =
  let row = pick xs 0
  let xs[0, 0] = 1
  in (xs, row)

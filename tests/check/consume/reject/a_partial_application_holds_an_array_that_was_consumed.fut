-- error: use-after-consume

def at (xs: []i32) (i: i64) : i32 = xs[i]

def main (table: *[]i32) =
  let look = at table
  let table[0] = 1
  in look 0 + table[1]

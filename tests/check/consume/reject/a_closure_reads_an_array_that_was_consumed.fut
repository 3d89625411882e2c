-- error: use-after-consume

def main (table: *[]i32) =
  let look (i: i64) = table[i]
  let table[0] = 1
  in (table, look 0)

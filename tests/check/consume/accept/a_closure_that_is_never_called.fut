def main (table: *[]i32) =
  let _look (i: i64) = table[i]
  let table[0] = 1
  in table

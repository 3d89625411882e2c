def main (table: *[]i32) =
  let look (i: i64) = table[i]
  let x = look 0
  let table[0] = x + 1
  in table

def main (m: *[4][4]i32) (row: *[4]i32) =
  let m[0] = row
  let row[0] = 1
  in (m, row)

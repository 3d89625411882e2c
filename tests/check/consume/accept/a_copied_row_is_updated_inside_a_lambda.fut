def main (m: [][]i32) =
  map (\row ->
         let row = copy row
         let row[0] = 0
         in row)
      m

-- An index and a slice are within the array, or it is an error of the program.
entry main [n] (xs: [n][4]i32) (i: i64) (j: i64) : ([]i32, [][4]i32, i32) =
  (xs[i], xs[i:j], xs[i, 3])

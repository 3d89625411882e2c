def main (is: []i64) (k: i64) =
  map (\i ->
         let v = replicate k 0i32
         in v with [i] = 1)
      is

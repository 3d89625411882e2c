def main (n: i64) =
  let xs = iota n
  let xs[0] = 7
  in xs

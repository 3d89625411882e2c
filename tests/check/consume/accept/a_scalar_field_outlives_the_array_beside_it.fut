def main (t: *([4]i32, i32)) =
  let xs = t.0 with [0] = 1
  in (xs, t.1)

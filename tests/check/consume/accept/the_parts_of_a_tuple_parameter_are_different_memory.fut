def main (t: *([4]i32, [4]i32)) =
  let (a, b) = t
  let a[0] = 1
  in (a, b)

def main (c: bool) (xs: *[]i32) =
  if c then xs with [0] = 1 else xs with [0] = 2

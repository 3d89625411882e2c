def main (xs: *[]i32) =
  loop xs while xs[0] < 10 do xs with [0] = xs[0] + 1

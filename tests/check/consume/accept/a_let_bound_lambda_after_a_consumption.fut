def main (xs: *[]i32) =
  let xs = xs with [0] = 1
  let look = \i -> xs[i]
  in (look 0, look 1)

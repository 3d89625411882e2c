def main (xs: *[]i32) =
  let xs = loop xs for i < 10 do xs with [i] = 0
  in xs[0]

def main (xs: []i32) (ys: *[]i32) =
  let second (_: []i32) (b: []i32) : []i32 = b
  let zs = second xs ys
  let zs[0] = 1
  in (zs, xs[0])

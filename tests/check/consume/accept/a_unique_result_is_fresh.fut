def fresh (xs: []i32) : *[]i32 = map (+ 1) xs

def main (xs: []i32) =
  let ys = fresh xs
  in (ys with [0] = 1, xs)

-- error: size-mismatch
def f (xs: []f32) =
  let ys = filter (> 0) xs
  in map2 (*) xs ys

-- error: size-mismatch
def f (xs: []f32) =
  let positive (ys: []f32) = map2 (*) ys (filter (> 0) ys)
  in positive xs

def f (xs: []i32) : ?[k].([k]i32, [k]i32) =
  let ys = filter (> 0) xs
  in (ys, map (+ 1) ys)
def g (xs: []i32) =
  let (a, b) = f xs
  in map2 (+) a b

-- error: unknown-param-def
def f (xs: []i32) =
  let ys = filter (> 0) xs
  in \(zs: []i32) -> zip ys zs

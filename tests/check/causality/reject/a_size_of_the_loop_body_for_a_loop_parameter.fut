-- error: causality-check
def f [n] (xs: [n]i32) =
  loop ys = xs
  for _i < 3 do
    let zs = zip (filter (> 0) xs) ys
    in ys ++ map (.0) zs

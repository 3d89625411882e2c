-- error: unused-size
def f (xs: []i32) =
  let [n] (ys: []i32) = xs
  in ys

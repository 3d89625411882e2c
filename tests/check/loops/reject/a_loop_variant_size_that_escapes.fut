-- error: loop-variant-escape
def f (n: i64) =
  let g = \(xs: []i32) -> i32.sum xs
  let h = (\x -> x)
  in loop ys = [1i32] for _i < n do
       let _ = g (h ys)
       in ys ++ h ys

-- error: use-after-consume
def f (xs: *[]i32) =
  let s = seq.of_array xs
  let ys = xs with [0] = 1
  in (seq.length s, ys)

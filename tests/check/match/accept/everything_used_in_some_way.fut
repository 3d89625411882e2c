local def helper (x: i32) : i32 = x + 1

def f [n] (k: i64) (xs: [n]i32) (ys: [k]i32) : [n]i32 =
  let g (x: i32) : i32 = helper x
  let m = 2i64
  let zs : [m]i32 = replicate m 1
  let {a, b = c} = {a = zs[0], b = ys}
  in map (\x -> g x + a + c[0]) xs

-- error: not-consumable
def rounds [n] (xs: [n]i32) : [n]i32 =
  let zs = loop ys: *[n]i32 = xs for i < 3 do map (+ i) ys
  in zs with [0] = 1

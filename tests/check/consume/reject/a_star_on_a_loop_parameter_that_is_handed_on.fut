-- error: not-consumable
def swap [n] (xs: [n]i32) : ([n]i32, [n]i32) =
  loop (a: *[n]i32, b: *[n]i32) = (replicate n 0, xs) for i < 3 do (b, a with [0] = i)

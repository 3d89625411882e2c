-- error: size-mismatch
def f [n] [m] (a: [n][m]f32) (v: [n]f32) : [n]f32 =
  map (\row -> f32.sum (map2 (*) row v)) a

-- error: unused-size
def f [m] (g: [m]i32 -> i32) =
  let [n] (h: [n]i32 -> i32) = g
  in h (replicate n 1)

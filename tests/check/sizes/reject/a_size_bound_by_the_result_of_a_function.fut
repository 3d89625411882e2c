-- error: unused-size
def f [m] (g: i32 -> [m]i32) =
  let [n] (h: i32 -> [n]i32, k: i32) = (g, 1)
  in (n, h k)

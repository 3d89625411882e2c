-- error: unused-size
def f (g: (i32 -> [2]i32, i32)) = let [n] (h: i32 -> [n]i32, k) = g in (h k, n)

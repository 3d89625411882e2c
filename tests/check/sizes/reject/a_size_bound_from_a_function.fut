-- error: unused-size
def f (g: [2]i32 -> i32) = let [n] (h: [n]i32 -> i32) = g in (h, n)

-- error: unused-size
def f (xs: []i32) = let [n] (ys: [n + 1]i32) = xs in (ys, n)

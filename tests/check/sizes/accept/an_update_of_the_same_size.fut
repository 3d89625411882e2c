def f [n] (xs: *[n]i32) (ys: [2]i32) : *[n]i32 = xs with [0:2] = ys

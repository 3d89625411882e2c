def f [n] (r: {xs: [n]i32, ys: [n]i32}) : [n]i32 = map2 (+) r.xs r.ys

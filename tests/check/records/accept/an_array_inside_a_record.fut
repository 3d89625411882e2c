def f [n] (r: {xs: [n]i32, name: []u8}) : i32 = r.xs[0] + i32.i64 (length r.name)

def f = map (\(x: i32) : i64 -> i64.i32 x) [1, 2]

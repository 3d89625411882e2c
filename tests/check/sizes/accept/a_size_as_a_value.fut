def f [n] (_: [n]i32) : i64 = n * 2

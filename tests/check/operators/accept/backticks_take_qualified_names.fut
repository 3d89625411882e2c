def f (x: i32) : i32 = x `i32.max` 3 `i32.min` 10

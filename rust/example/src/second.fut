entry twice (x: i32) : i32 = 2 * x

let f (x: i32) : i32 = x

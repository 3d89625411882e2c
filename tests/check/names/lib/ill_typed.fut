def x : i32 = true

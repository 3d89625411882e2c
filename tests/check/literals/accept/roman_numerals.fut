def x : i32 = 0rXIV

def same (x: i32) : i32 = match x case y -> y

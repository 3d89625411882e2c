def f (x: i32) = (x : i32) + (1 : i32)

def f (n: i32) : i32 = loop x = n while x > 1 do x / 2

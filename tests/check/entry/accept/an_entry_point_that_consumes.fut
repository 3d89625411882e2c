entry update [n] (xs: *[n]i32) : *[n]i32 = xs with [0] = 1

entry make (n: i64) : [n]i32 = replicate n 1

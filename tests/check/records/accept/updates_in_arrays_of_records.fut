def f [n] (xs: *[n]{a: i32, b: bool}) (i: i64) = xs with [i] = {a = 1, b = true}

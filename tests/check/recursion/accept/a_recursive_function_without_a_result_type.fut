def f (n: i32) = if n == 0 then 0i32 else f (n - 1)

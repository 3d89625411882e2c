def f (b: bool) (x: i32) = if b then (\y -> y + 1) x else (\y -> y * 2) x

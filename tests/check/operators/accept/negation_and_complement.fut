def f (x: i32) (b: bool) : (i32, i32, bool) = (-x, !x, !b)

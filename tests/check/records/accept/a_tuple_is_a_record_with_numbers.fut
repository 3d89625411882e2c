def f (p: {0: i32, 1: bool}) : (i32, bool) = p

def f ({x, y}: {x: i32, y: i32}) = x + y

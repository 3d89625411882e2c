def f (n: i32) = loop r = {x = 0i32, y = true} for i < n do r with x = r.x + i

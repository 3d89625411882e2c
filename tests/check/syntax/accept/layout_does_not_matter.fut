def f (x: i32) : i32 = let y = x in if y > 0 then let z = y in z else let z = 0 in z def g = f 1

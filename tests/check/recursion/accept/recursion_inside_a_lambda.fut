def depth (n: i32) : i32 = if n == 0 then 0 else i32.maximum (map (\i -> depth (n - 1 - i)) [0, 0])

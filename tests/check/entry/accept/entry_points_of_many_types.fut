entry numbers (x: i32) (y: f64) : f64 = f64.i32 x + y
entry arrays [n] (xs: [n]i32) : [n]i32 = map (+ 1) xs
entry records (r: {x: i32, y: bool}) : (i32, bool) = (r.x, r.y)
entry unknown (xs: []i32) : []i32 = filter (> 0) xs
entry constant : i32 = 42

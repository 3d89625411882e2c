def f (r: {n: i64, x: i32}) : []i32 = replicate r.n r.x

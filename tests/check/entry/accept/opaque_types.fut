type pair = (i32, bool)
entry make (x: i32) : pair = (x, true)
entry get (p: pair) : i32 = p.0

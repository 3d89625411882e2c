-- warning: entry-name
entry f' (x: i32) : i32 = x

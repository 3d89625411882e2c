-- error: unknown-name
module m : mt = { def x = 1i32 }

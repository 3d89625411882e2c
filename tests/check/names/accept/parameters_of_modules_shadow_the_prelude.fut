module m (i32: { val one : bool }) = { def x = i32.one }

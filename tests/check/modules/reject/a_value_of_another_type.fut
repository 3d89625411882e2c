-- error: module-mismatch
module m : { val x : i32 } = { def x = true }

-- error: module-mismatch
module m : { val x : i32 val y : i32 } = { def x = 1i32 }

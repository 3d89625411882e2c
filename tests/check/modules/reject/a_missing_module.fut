-- error: module-mismatch
module m : { module n : { val x : i32 } } = { def x = 1i32 }

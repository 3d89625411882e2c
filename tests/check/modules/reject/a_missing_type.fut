-- error: module-mismatch
module m : { type t val x : t } = { def x = 1i32 }

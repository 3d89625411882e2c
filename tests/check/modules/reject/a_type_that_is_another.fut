-- error: module-mismatch
module m : { type t = i32 } = { type t = i64 }

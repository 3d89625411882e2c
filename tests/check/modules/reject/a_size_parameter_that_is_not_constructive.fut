-- error: module-mismatch
module m : { type t [n] } = { type^ t [n] = [n]i32 -> i32 }

-- error: module-mismatch
module m : { type t 'a } = { type t = i32 }

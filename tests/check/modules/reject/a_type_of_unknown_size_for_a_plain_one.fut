-- error: module-mismatch
module m : { type t } = { type~ t = []i32 }

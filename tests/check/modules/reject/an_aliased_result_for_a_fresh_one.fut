-- error: module-mismatch
module m : { val f : [2]i32 -> *[2]i32 } = { def f (xs: [2]i32) : [2]i32 = xs }

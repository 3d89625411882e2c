-- error: module-mismatch
module m : { val f 'a : a -> a } = { def f (x: i32) = x }

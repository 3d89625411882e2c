-- error: module-not-parametric
module m = { def x = 1i32 }
module n = m { def y = 2i32 }

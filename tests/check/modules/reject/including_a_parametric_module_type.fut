-- error: include-parametric
module type f = (x: { val y : i32 }) -> { val z : i32 }
module type mt = { include f }

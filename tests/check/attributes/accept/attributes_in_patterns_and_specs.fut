def f (#[something] x: i32) = x
module type mt = { #[something] val x : i32 }

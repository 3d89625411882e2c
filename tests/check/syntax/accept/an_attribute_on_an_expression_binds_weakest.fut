def f (x: i32) : i32 = #[noinline] x + 1

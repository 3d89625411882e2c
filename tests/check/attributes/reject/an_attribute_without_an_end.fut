-- error: unexpected-token
def f (x: i32) = #[noinline x

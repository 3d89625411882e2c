def f (x: i32) = #[no_such_attribute(1, a(b), 2)] x

def f (x: i32) (y: f64) (b: bool) = (f64.i32 x, i64.f64 y, i32.bool b, u8.i32 x, bool.i32 x)

def f (b: bool) = if b then {x = 1i32, y = 2.0f32} else {y = 1.0, x = 2}

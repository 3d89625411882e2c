def f [n] (xs: [n]f32) : [n]f32 =
  loop ys = xs for i < 10i32 do map (* f32.i32 i) ys

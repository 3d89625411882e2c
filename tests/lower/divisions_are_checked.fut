-- Integers are not divided by zero; a constant that is not zero is no matter.
entry main (x: i32) (y: i32) (f: f32) : (i32, i32, f32) = (x / y, x % 7, f / 0)

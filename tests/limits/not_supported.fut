-- A program that is right, but cannot be translated yet.

def multiply (acc: *intrinsics.acc ([2]f64)) (x: f64) = intrinsics.acc_write acc 0 x

entry main [n] (xs: [n]f64) : [n]f64 =
  vjp (\xs -> f64.sum (intrinsics.hist_stream (replicate 2 1) (*) 1 multiply xs)) xs 1

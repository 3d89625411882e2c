-- A program that is right, but cannot be translated yet.

entry main (x: f64) : f64 =
  vjp (\y -> f64.product (loop ys = [y] for _i < 3i64 do ys ++ ys)) x 1

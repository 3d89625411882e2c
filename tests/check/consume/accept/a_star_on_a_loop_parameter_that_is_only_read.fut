def rounds [n] (xs: [n]i32) : ([n]i32, i64) =
  loop (ys: *[n]i32, k) = (xs, 0) for i < 3 do (map (+ i) ys, k + length ys)

-- The function of a stream is one over a piece of any size, with an accumulator or without.
entry maps (xs: []i32) : []i32 = stream.map (\m (ys: [m]i32) -> map (+ 1) ys) xs

entry folds (xs: []i32) : (i32, []i32) =
  stream.red (+) (\m sum (ys: [m]i32) -> (loop s = sum for y in ys do s + y, map (* 2) ys)) 0 xs

entry follows (xs: []i32) : (i32, []i32) =
  stream.seq (\m sum (ys: [m]i32) -> (sum + i32.sum ys, map (+ sum) ys)) 0 xs

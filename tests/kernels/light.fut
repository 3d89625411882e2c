-- Maps that do little for each position, copies and fills; kernels of one thread, and checks of what only the device knows.
-- ==
-- entry: maps
-- random input { [5000]i32 } auto output
-- random input { [100]i32 } auto output
-- random input { [0]i32 } auto output
-- entry: planes
-- random input { [7][13][60]i32 } auto output
-- entry: replaced
-- random input { [3000]i32 [3000]i32 } auto output
-- entry: largest
-- random input { [2000]i16 } auto output
-- entry: out_of_bounds
-- input { [3, 1, 2] } error: Index \[6\] out of bounds for array of shape \[3\]

entry maps [n] (xs: [n]i32) =
  let ys = map (* 3) xs
  let (low, high) = unzip (map2 (\x y -> if x < y then (x, y) else (y, x)) xs ys)
  in (low, high, replicate n 7i32, reverse ys, concat xs ys)

entry planes [k] [n] [m] (xss: [k][n][m]i32) =
  ( map (map (map (+ 1))) xss
  , map transpose xss
  , tabulate_3d k n m (\i j l -> i32.i64 (i * 1000 + j * 100 + l))
  )

-- The positions of a map in place have nothing to do with each other.
entry replaced [n] (xs: *[n]i32) (ys: [n]i32) : *[n]i32 = map2 (-) xs ys

entry largest [n] (xs: [n]i16) =
  loop (found, xs) = (replicate 5 (0, 0), xs)
  for i < 5 do
    let larger (x, i) (y, j) : (i16, i64) = if x > y || (x == y && i < j) then (x, i) else (y, j)
    let (x, at) = reduce_comm larger (i16.lowest, n) (zip xs (indices xs))
    in (copy found with [i] = (x, at), copy xs with [at] = i16.lowest)

entry out_of_bounds [n] (xs: [n]i64) = copy xs with [i64.sum xs] = 0

-- Accumulations along columns, and arrays that are transposed.
-- ==
-- entry: sums_f32 sums_f64 sums_i32 greatest moments places flipped doubled both
-- random input { [0][0]f32 } auto output
-- random input { [0][7]f32 } auto output
-- random input { [7][0]f32 } auto output
-- random input { [1][1]f32 } auto output
-- random input { [5][16]f32 } auto output
-- random input { [33][31]f32 } auto output
-- random input { [65][520]f32 } auto output
-- random input { [100][3]f32 } auto output

-- ==
-- entry: inner
-- random input { [0][2][3]f32 } auto output
-- random input { [3][9][40]f32 } auto output

entry sums_f32 [n] [m] (a: [n][m]f32): [m]f32 = map (reduce (+) 0) (transpose a)
entry sums_f64 [n] [m] (a: [n][m]f32): [m]f64 = map (\xs -> reduce (+) 0 (map f64.f32 xs)) (transpose a)
entry sums_i32 [n] [m] (a: [n][m]f32): [m]i32 = map (\xs -> reduce (+) 0 (map (\x -> i32.f32 (x * 99)) xs)) (transpose a)
entry greatest [n] [m] (a: [n][m]f32): [m]f32 = map (reduce f32.max (-f32.inf)) (transpose a)

entry moments [n] [m] (a: [n][m]f32): ([m]f32, [m]f32) =
  map (\xs -> (reduce (+) 0 xs, reduce (+) 0 (map (\x -> x * x) xs))) (transpose a) |> unzip

-- An operator that is not an arithmetic one.
entry places [n] [m] (a: [n][m]f32): [m]i64 =
  map (\xs -> (reduce (\(x, i) (y, j) -> if y > x then (y, j) else (x, i)) (-f32.inf, -1) (zip xs (iota n))).1)
      (transpose a)

entry inner [l] [n] [m] (a: [l][n][m]f32): [l][m]f32 = map (\b -> map (reduce (+) 0) (transpose b)) a

entry flipped [n] [m] (a: [n][m]f32): [m][n]f32 = copy (transpose a)
entry doubled [n] [m] (a: [n][m]f32): [m][n]f32 = map (map (* 2)) (transpose a)
entry both [n] [m] (a: [n][m]f32): [m][n]f32 = map2 (map2 (+)) (transpose a) (unflatten (flatten a :> [m * n]f32))
